// The address says what is seen: folds are put there here, the rest by other scripts. Links and
// forms of the same view carry it on; data-view names the values that they set themselves.
"use strict";

const view = (() => {
  // The address of what is seen, with some values changed; null takes one out.
  const address = (changes = {}) => {
    const changed = new URL(location.href);
    const values = changed.searchParams;
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) {
        if (values.has(name)) values.delete(name);
      } else if (values.get(name) !== String(value)) {
        values.set(name, value);
      }
    }
    return changed;
  };

  const put = (changes) => {
    const { href } = address(changes);
    if (href !== location.href) history.replaceState(history.state, "", href);
  };

  const named = (element) => element.dataset.view.split(" ").filter(Boolean);

  // What a link of the same view changes in it.
  const changes = (link) => {
    const own = new URL(link.href).searchParams;
    return Object.fromEntries(named(link).map((name) => [name, own.get(name)]));
  };

  const carry = ({ target }) => {
    const link = target.closest?.("a[data-view]");
    if (link) link.search = address(changes(link)).search;
  };
  for (const kind of ["pointerdown", "focusin", "click"]) {
    document.addEventListener(kind, carry, true);
  }

  document.addEventListener("submit", ({ target: form }) => {
    if (!form.matches("[data-view]")) return;
    for (const each of form.querySelectorAll("[data-kept]")) each.remove();
    const own = new Set([...form.elements].map((element) => element.name));
    for (const [name, value] of new URL(location.href).searchParams) {
      if (own.has(name)) continue;
      const kept = Object.assign(document.createElement("input"), { type: "hidden", name, value });
      kept.dataset.kept = "";
      form.append(kept);
    }
  }, true);

  // Names of folds in the address, with those that this page has set right.
  const names = (which, isNamed) => {
    const found = new Set(new URL(location.href).searchParams.get(which)?.split(" "));
    for (const fold of document.querySelectorAll("details[data-fold]")) {
      if (isNamed(fold)) found.add(fold.dataset.fold);
      else found.delete(fold.dataset.fold);
    }
    return [...found].filter(Boolean).join(" ") || null;
  };

  const tellFolds = () => put({
    open: names("open", (fold) => fold.open && !("open" in fold.dataset)),
    shut: names("shut", (fold) => !fold.open && "open" in fold.dataset),
  });

  // Each fold that a page opens by itself is told as well: all of them are looked at together.
  let telling = 0;
  document.addEventListener("toggle", ({ target }) => {
    if (!target.matches("details[data-fold]")) return;
    clearTimeout(telling);
    telling = setTimeout(tellFolds);
  }, true);

  // What the server refused, in its words; a page that went on in silence would seem to be well.
  const refused = (page) => {
    let notice = document.getElementById("refused");
    if (!page) return notice?.remove();
    const said = [...page.querySelectorAll("main > p")];
    const text = said.map((each) => each.textContent).join(" ");
    if (notice?.textContent === text) return;
    notice ??= Object.assign(document.createElement("div"), { id: "refused", className: "notice" });
    notice.setAttribute("role", "alert");
    notice.replaceChildren(...said.flatMap((each) => [...each.childNodes, " "]).slice(0, -1));
    document.querySelector("header").after(notice);
  };

  // A page of the server, to take a part of; null where there is none. If another tape lies there
  // by now, or it is being read anew, all is shown anew: no page is put together out of two tapes.
  const fetched = async (from, shown = location.href) => {
    const answer = await fetch(from);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const own = document.getElementById("main").dataset.tape ?? null;
    const isAnother = answer.headers.get("Wiretape-Tape") !== own;
    if (answer.status === 503 || (answer.ok && isAnother)) {
      history.replaceState(history.state, "", shown);
      location.reload();
      return null;
    }
    refused(answer.ok ? null : page);
    return answer.ok ? page : null;
  };

  return { address, put, changes, fetched };
})();
