// Zoom, pan, look and play: works out the window and the instant, and lets the server draw them.
// Both are in the address.
"use strict";

(() => {
  const here = () => document.getElementById("timeline");
  const windowOf = (element) => [Number(element.dataset.from), Number(element.dataset.to)];
  let wanted = null;
  let isBusy = false;

  const ask = (changes) => {
    wanted = { ...wanted, ...changes };
    draw();
  };

  // Asks for the newest window only: those that came while one was drawn are passed over.
  const draw = async () => {
    if (isBusy) return;
    isBusy = true;
    while (wanted !== null) {
      const changes = wanted;
      wanted = null;
      try {
        const page = await view.fetched(view.address(changes), view.address(changes));
        if (!page) break;
        if (playing === null) replaceReceived(page.getElementById("received"));
        replace(page.getElementById("timeline"));
        settle(page.getElementById("table"));
        view.put(changes);
      } catch {
        location.assign(view.address(changes));
      }
    }
    isBusy = false;
  };

  const replace = (fresh) => {
    const stale = here();
    const place = stale.contains(document.activeElement) && placeOf(document.activeElement);
    const speed = stale.querySelector("[name=speed]")?.value;
    fresh.querySelector(".legend").open = stale.querySelector(".legend").open;
    stale.replaceWith(document.adoptNode(fresh));
    ready(speed);
    if (place) fresh.querySelector(place)?.focus({ preventScroll: true });
  };

  // What has the focus is found again by its keys, or by the name of it or of what it is in.
  const placeOf = (element) => {
    if (element.dataset.key) return `[data-key="${CSS.escape(element.dataset.key)}"]`;
    const named = element.closest("[id]");
    return `#${CSS.escape(named.id)}${named === element ? "" : ` ${element.localName}`}`;
  };

  const replaceReceived = (fresh) => {
    const pane = document.getElementById("by-then");
    pane.replaceChildren(...(fresh ? [document.adoptNode(fresh)] : []));
    // Laid out while the lanes above still stand: a browser that finds them gone holds on to what is
    // below the pane, and scrolls by its height.
    const { top } = pane.getBoundingClientRect();
    if (fresh && sought) reveal(sought.bottom, top);
    sought = null;
    document.dispatchEvent(new Event("moved"));
  };

  // Where the pane opens, it leaves in sight what is looked at: what was clicked, down to `bottom`
  // on the page, else where the timeline begins.
  let sought = null;

  const seek = (bottom) => {
    if (!document.getElementById("received")) sought = { bottom };
  };

  const reveal = (bottom, edge) => {
    const { bottom: end } = here().querySelector(".plot").getBoundingClientRect();
    if (bottom !== undefined) scrollBy(0, Math.max(0, bottom - scrollY - edge));
    else if (end > edge) here().scrollIntoView({ block: "start" });
  };

  // A link to an instant leaves the lane of what came last in sight. One that names a place, and a
  // page that is come back to, are where they are.
  addEventListener("load", () => {
    const pane = document.querySelector(".by-then:has(.received)");
    const isOpened = performance.getEntriesByType("navigation")[0]?.type === "navigate";
    if (!pane || location.hash || !isOpened) return;
    const last = [...pane.querySelectorAll(".answer-head a")].at(-1)?.href;
    const links = [...here().querySelectorAll(".lane-link")];
    const lane = (links.find(({ href }) => href === last) ?? links[0])?.closest(".lane");
    const covered = () => lane.getBoundingClientRect().bottom - pane.getBoundingClientRect().top;
    if (!lane || covered() <= 0) return;
    here().scrollIntoView({ block: "start", behavior: "instant" });
    // Browsers scroll by whole pixels.
    scrollBy({ top: Math.max(0, Math.ceil(covered())), behavior: "instant" });
  });

  // The table follows when the movement is over: it is long, and nobody reads it meanwhile.
  let settling = 0;

  const settle = (table) => {
    clearTimeout(settling);
    settling = setTimeout(() => replaceTable(table), 100);
  };

  // The table mutes what is outside the window; the row that has the focus keeps it.
  const replaceTable = (fresh) => {
    const stale = document.getElementById("table");
    const row = stale.contains(document.activeElement) && document.activeElement.closest("[data-row]");
    if (stale.isEqualNode(fresh)) return;
    stale.replaceWith(document.adoptNode(fresh));
    if (row) document.getElementById(row.id)?.querySelector("a[data-main]").focus({ preventScroll: true });
  };

  const show = (from, to) => {
    const shift = Math.max(0, -from);
    ask({ from: Math.round(from + shift), to: Math.round(to + shift) });
  };

  const zoom = (factor, share) => {
    const [from, to] = windowOf(here());
    const at = from + (to - from) * share;
    show(at - (at - from) * factor, at + (to - at) * factor);
  };

  const shareOf = (plot, x) => {
    const box = plot.getBoundingClientRect();
    return Math.min(Math.max((x - box.left) / box.width, 0), 1);
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-window]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const changes = view.changes(link);
    if (changes.at === null) playing = null;
    ask(changes);
    if ("from" in changes && !here().contains(link)) here().scrollIntoView({ block: "start" });
  });

  document.addEventListener("wheel", (event) => {
    const plot = event.target.closest?.(".plot");
    if (!plot) return;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      zoom(Math.exp(Math.min(Math.max(event.deltaY, -60), 60) / 100), shareOf(plot, event.clientX));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      const [from, to] = windowOf(here());
      const by = ((event.deltaX || event.deltaY) / plot.clientWidth) * (to - from);
      show(from + by, to + by);
    }
  }, { passive: false });

  document.addEventListener("dblclick", (event) => {
    const plot = event.target.closest?.(".plot");
    if (plot) zoom(0.4, shareOf(plot, event.clientX));
  });

  const LANE_PX = 48; // drawing.ROW_PX

  // One finger or button moves; two fingers zoom about the point between them; a click looks.
  const fingers = new Map();
  let begun = null;

  const begin = () => {
    const plot = here().querySelector(".plot");
    const xs = [...fingers.values()];
    const [from, to] = windowOf(here());
    begun = { from, to, box: plot.getBoundingClientRect(), xs, hasMoved: begun?.hasMoved && xs.length > 0 };
    plot.classList.toggle("moving", xs.length > 0);
  };

  document.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    if (event.target.closest?.(".strip")) return startStrip(event);
    if (!event.target.closest?.(".plot")) return;
    fingers.set(event.pointerId, event.clientX);
    begin();
  });

  document.addEventListener("pointermove", (event) => {
    if (strip) return moveStrip(event);
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, event.clientX);
    const { from, to, box, xs } = begun;
    const now = [...fingers.values()];
    const us = to - from;
    if (now.length === 1) {
      const by = ((xs[0] - now[0]) / box.width) * us;
      if (Math.abs(xs[0] - now[0]) > 2) {
        begun.hasMoved = true;
        show(from + by, to + by);
      }
    } else if (Math.abs(now[0] - now[1]) > 10) {
      const factor = Math.abs(xs[0] - xs[1]) / Math.abs(now[0] - now[1]);
      const at = from + us * (((xs[0] + xs[1]) / 2 - box.left) / box.width);
      const middle = ((now[0] + now[1]) / 2 - box.left) / box.width;
      begun.hasMoved = true;
      show(at - us * factor * middle, at + us * factor * (1 - middle));
    }
  });

  const end = (event) => {
    strip = null;
    if (!fingers.delete(event.pointerId)) return;
    const isClick = event.type === "pointerup" && !begun.hasMoved && fingers.size === 0;
    const plot = here().querySelector(".plot");
    begin();
    if (!isClick) return;
    seek(event.pageY + LANE_PX);
    look(begun.from + (begun.to - begun.from) * shareOf(plot, event.clientX));
  };
  document.addEventListener("pointerup", end);
  document.addEventListener("pointercancel", end);

  // The strip is the whole session: the window goes to where it is pressed, and with the pointer.
  let strip = null;

  const startStrip = (event) => {
    strip = event.target.closest(".strip").getBoundingClientRect();
    event.preventDefault();
    moveStrip(event);
  };

  const moveStrip = (event) => {
    const [first, last] = windowOf(here().querySelector(".strip"));
    const [from, to] = windowOf(here());
    const at = first + (last - first) * ((event.clientX - strip.left) / strip.width);
    show(Math.max(0, at - (to - from) / 2), Math.max(0, at - (to - from) / 2) + (to - from));
  };

  // The cursor: an instant, and what the client had received by then.
  const look = (at) => {
    const [from, to] = windowOf(here()).map(Math.round);
    ask({ from, to, at: Math.max(0, Math.round(at)), at_s: null });
  };

  // Plays at the recorded pace: the cursor moves here, and the server says what had come.
  let playing = null;

  const stop = () => {
    if (playing === null) return;
    const at = Math.min(playing.at, playing.last);
    playing = null;
    ready();
    look(at);
  };

  const start = () => {
    const { at, begin, end } = document.getElementById("received")?.dataset ?? {};
    const isWithin = Number(at) >= Number(begin) && Number(at) < Number(end);
    playing = {
      at: isWithin ? Number(at) : windowOf(here())[0],
      before: performance.now(),
      last: Number(here().dataset.end),
      isAsking: false,
      told: 0,
    };
    seek();
    ready();
    requestAnimationFrame(frame);
  };

  const frame = (now) => {
    if (playing === null) return;
    const speed = Number(here().querySelector("[name=speed]").value);
    // A frame may have begun before it was asked for.
    playing.at += Math.max(now - playing.before, 0) * 1000 * speed;
    playing.before = now;
    const [from, to] = windowOf(here());
    if (playing.at > to && !isBusy) show(playing.at, playing.at + (to - from));
    const cursor = document.getElementById("cursor");
    const share = (100 * (playing.at - from)) / (to - from);
    cursor.setAttribute("visibility", share >= 0 && share <= 100 ? "visible" : "hidden");
    cursor.setAttribute("x1", `${share}%`);
    cursor.setAttribute("x2", `${share}%`);
    here().querySelector("[name=at_s]").value = (playing.at / 1e6).toFixed(3);
    if (!playing.isAsking) hear();
    if (playing.at >= playing.last) stop();
    else requestAnimationFrame(frame);
  };

  // Browsers let an address change some ten times a second, no more.
  const TOLD_EVERY_MS = 250;

  const hear = async () => {
    const asking = playing;
    const at = Math.round(asking.at);
    asking.isAsking = true;
    try {
      const page = await view.fetched(`${location.pathname}/received?at=${at}`);
      if (!page) stop();
      else if (playing === asking) {
        replaceReceived(page.getElementById("received"));
        if (performance.now() - asking.told > TOLD_EVERY_MS) {
          view.put({ at, at_s: null });
          asking.told = performance.now();
        }
      }
    } catch {
      stop();
    }
    asking.isAsking = false;
  };

  // What works with a script only is shown by it.
  const ready = (speed) => {
    for (const each of here().querySelectorAll(".play")) each.hidden = false;
    here().querySelector("button.play").textContent = playing === null ? "Play" : "Stop";
    if (speed) here().querySelector("[name=speed]").value = speed;
  };

  // The tape has grown; what is being moved, played or typed in shows it a little later.
  document.addEventListener("grown", ({ detail: page }) => {
    const fresh = page.getElementById("timeline");
    const field = here()?.querySelector("[name=at_s]");
    const isTyping = field && field === document.activeElement;
    if (!fresh || isBusy || isTyping || playing !== null || fingers.size || strip) return;
    const typed = field.value === field.defaultValue ? null : field.value;
    replace(fresh);
    if (typed !== null) here().querySelector("[name=at_s]").value = typed;
  });

  document.addEventListener("click", (event) => {
    if (event.target.closest?.("button.play")) playing === null ? start() : stop();
  });
  document.addEventListener("change", ({ target }) => {
    if (target.matches("[name=speed]")) view.put({ speed: target.value === "1" ? null : target.value });
  });
  document.addEventListener("submit", (event) => {
    const form = event.target.closest?.(".look");
    if (!form) return;
    event.preventDefault();
    const at = Number(form.elements.at_s.value) * 1e6;
    if (!Number.isFinite(at)) return;
    seek();
    look(at);
  });
  ready();
})();
