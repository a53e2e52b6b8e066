// Keys do what links and fields on the page already do; without this script nothing is lost.
"use strict";

(() => {
  const help = document.getElementById("help");

  // A link or a field says which keys it answers to: data-key="n ArrowRight".
  const keyed = (key) =>
    [...document.querySelectorAll("[data-key]")].find((element) =>
      element.dataset.key.split(" ").includes(key)) ?? (key === "Escape" ? above() : null);

  // One crumb up; above the first one are the sessions.
  const above = () => {
    const crumbs = [...document.querySelectorAll(".top nav a")];
    return crumbs.at(-1) ?? document.querySelector("a.brand:not([aria-current])");
  };

  // What comes after the last of them is on another page.
  const more = (selector) => {
    const link = document.querySelector(`[data-more="${selector}"]`);
    link?.click();
    return Boolean(link);
  };

  // Moves the focus along the rows, so that Enter, screen readers and :focus all see the same row.
  const targetOf = (row) => row.querySelector("a[data-main], a[data-step], summary") ?? row;

  // What lies in a fold that is shut is not walked along.
  const isInSight = (row) => targetOf(row).checkVisibility();

  const step = (selector, by) => {
    const targets = [...document.querySelectorAll(selector)].filter(isInSight).map(targetOf);
    if (!targets.length) return false;
    const at = targets.indexOf(document.activeElement);
    let next = at + by;
    if (at < 0) {
      const below = targets.findIndex(
        (target) => target.compareDocumentPosition(document.activeElement) &
          Node.DOCUMENT_POSITION_PRECEDING);
      const first = document.activeElement === document.body || below < 0 ? 0 : below;
      next = by > 0 ? first : Math.max(first - 1, 0);
    }
    if (next >= targets.length && more(selector)) return true;
    const target = targets[Math.min(Math.max(next, 0), targets.length - 1)];
    // A row that is a fold opens; one that only holds a fold leaves that to Enter.
    if (target.parentElement.matches("details[data-fold]:is([data-row], [data-problem])")) {
      target.parentElement.open = true;
    }
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: "nearest" });
    // A finding shows its place on the timeline, where it has one there, and stays in sight.
    const place = target.closest("[data-problem]")?.querySelector("a[data-window]");
    place?.click();
    if (place) target.scrollIntoView({ block: "start" });
    return true;
  };

  // Which rows a key walks along, and which way.
  const walks = {
    j: ["[data-row]", 1],
    k: ["[data-row]", -1],
    J: ["[data-turn]", 1],
    K: ["[data-turn]", -1],
    e: ["[data-problem]", 1],
    "]": ["[data-step]", 1],
    "[": ["[data-step]", -1],
  };

  const walk = (key) => key in walks && (step(...walks[key]) || more(walks[key][0]));

  // The bar names what acts on this page, and no more.
  const names = { "\u2212": "-", "\u2190": "ArrowLeft", "\u2192": "ArrowRight" };
  const acts = (name) => {
    const key = names[name] ?? name;
    const thing = { y: "[data-copy]", "?": "#help" }[key];
    const rows = key === "Enter" ? "[data-row]" : walks[key]?.[0];
    return keyed(key) || (thing && document.querySelector(thing)) ||
      (rows && (document.querySelector(`[data-more="${rows}"]`) ||
        [...document.querySelectorAll(rows)].some(isInSight)));
  };
  const hint = () => {
    for (const each of document.querySelectorAll(".hint")) {
      const keys = [...each.querySelectorAll("kbd")];
      for (const kbd of keys) kbd.hidden = !acts(kbd.textContent);
      each.hidden = keys.every((kbd) => kbd.hidden);
      // What a key does here, where the link that it presses says so.
      const words = each.querySelector("[data-what]");
      words.textContent = keyed(keys[0].textContent)?.dataset.hint ?? words.dataset.what;
    }
    document.querySelector(".hints").hidden = false;
  };
  hint();
  document.addEventListener("grown", hint);
  document.addEventListener("moved", hint);
  document.addEventListener("toggle", hint, true);

  const isTyping = (element) =>
    element instanceof Element && element.matches("input, textarea, select");

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (help.open && event.key !== "?") return;
    const key = event.key === " " ? "Space" : event.key;
    // Space presses what has the focus.
    if (key === "Space" && event.target.closest?.("a, button, summary")) return;
    const link = keyed(key);
    if (link?.matches("input, select")) {
      link.focus();
      link.select?.();
    } else if (link) {
      link.click();
    } else if (key === "?") {
      help.open ? help.close() : help.showModal();
    } else if (!walk(key)) {
      return;
    }
    event.preventDefault();
  });

  // Tapes that are being read: looks again until they are.
  if (document.querySelector("[data-reading]")) setTimeout(() => location.reload(), 1500);

  // Times in the viewer's zone, which they name; UTC stays in the title.
  const local = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
  const exact = new Intl.DateTimeFormat(undefined, {
    year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit",
    second: "2-digit", fractionalSecondDigits: 3, timeZoneName: "short",
  });
  const localise = () => {
    for (const time of document.querySelectorAll("time[data-local]")) {
      const format = time.dataset.local === "exact" ? exact : local;
      const text = format.format(new Date(time.dateTime));
      if (time.textContent !== text) time.textContent = text;
    }
  };
  localise();
  document.addEventListener("grown", localise);

  // An instant of a tape: the moment in the viewer's zone stands before the one in UTC.
  document.addEventListener("pointerover", ({ target }) => {
    const time = target.closest?.("[data-zone]");
    if (!time || time.dataset.zone) return;
    time.dataset.zone = "told";
    const moment = exact.format(new Date(time.dateTime ?? time.dataset.moment));
    const drawn = time.querySelector("title");
    if (drawn) drawn.textContent = `${moment} (${drawn.textContent})`;
    else time.title = `${moment} (${time.title})`;
  });

  // The address names the row that has the focus, and there the keys begin, once the browser has
  // been there. One that comes back to a page knows by itself how far it was scrolled.
  const ROWS = [...new Set(Object.values(walks).map(([selector]) => `${selector}[id]`))].join();
  document.addEventListener("focusin", ({ target }) => {
    const id = target.closest(ROWS)?.id;
    if (id) history.replaceState(history.state, "", `#${encodeURIComponent(id)}`);
  });
  const isOpened = () => performance.getEntriesByType("navigation")[0]?.type === "navigate";
  const toNamed = () => {
    const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!named?.matches(ROWS)) return;
    targetOf(named).focus({ preventScroll: true });
    if (history.scrollRestoration === "manual" || isOpened()) {
      named.scrollIntoView({ block: "center", behavior: "instant" });
    }
  };
  addEventListener("load", toNamed);
})();
