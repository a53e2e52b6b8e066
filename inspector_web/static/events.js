// One table that scrolls through all events: the windows that are looked at are fetched, those that
// are far away leave only their height. The address says where somebody is.
"use strict";

(() => {
  const NEAR_PX = 1200;
  const FAR_PX = 4000;
  let table = null;
  // A window is a page of the server: its rows in the table, its address, and the links on it.
  let windows = [];

  const link = (nav, rel) => nav.querySelector(`a[rel=${rel}]`);
  const boxOf = ({ body }) => body.getBoundingClientRect();
  const isWithin = (window, room) => {
    const { top, bottom } = boxOf(window);
    return bottom > -room && top < innerHeight + room;
  };

  const fetched = async (address) => {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const body = page.getElementById("events")?.tBodies[0] ?? page.createElement("tbody");
    return [body, page.getElementById("pages")].map((each) => document.adoptNode(each));
  };

  // What changes above the rows that are looked at must not move them.
  const inPlace = (change) => {
    const stay = windows.find((each) => !each.isAway && boxOf(each).bottom > 0)?.body;
    const before = stay?.getBoundingClientRect().top;
    change();
    if (!stay?.isConnected) return;
    scrollBy({ top: stay.getBoundingClientRect().top - before, behavior: "instant" });
  };

  const addLater = async () => {
    const last = windows.at(-1);
    const old = link(last.nav, "next");
    const [body, nav] = await fetched(old.href);
    if (body.rows.length) {
      last.body.after(body);
      windows.push({ body, nav, address: old.href, isAway: false });
    } else {
      // Nothing more, or a search that can be gone on with.
      old.replaceWith(...nav.querySelectorAll('a[data-key="n"]'));
    }
  };

  const addEarlier = async () => {
    const first = windows[0];
    const old = link(first.nav, "prev");
    const [body, nav] = await fetched(old.href);
    if (!body.rows.length) return old.remove();
    inPlace(() => first.body.before(body));
    windows.unshift({ body, nav, address: old.href, isAway: false });
  };

  const leave = (window) => {
    const away = document.createElement("tbody");
    away.className = "away";
    away.setAttribute("aria-hidden", "true");
    const cell = away.insertRow().insertCell();
    cell.colSpan = table.tHead.rows[0].cells.length;
    cell.style.height = `${boxOf(window).height}px`;
    window.body.replaceWith(away);
    Object.assign(window, { body: away, isAway: true });
  };

  const comeBack = async (window) => {
    const [body, nav] = await fetched(window.address);
    inPlace(() => window.body.replaceWith(body));
    Object.assign(window, { body, nav, isAway: false });
  };

  // Does one thing towards what is looked at, and says whether there was one to do.
  const act = async () => {
    for (const each of windows) if (!each.isAway && !isWithin(each, FAR_PX)) leave(each);
    const back = windows.find((each) => each.isAway && isWithin(each, NEAR_PX));
    if (back) await comeBack(back);
    else if (link(windows.at(-1).nav, "next") && boxOf(windows.at(-1)).bottom < innerHeight + NEAR_PX) await addLater();
    else if (link(windows[0].nav, "prev") && boxOf(windows[0]).top > -NEAR_PX) await addEarlier();
    else return false;
    return true;
  };

  let isBusy = false;
  const look = async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      while (await act()) tell();
    } catch {
      // The server is gone: the next move asks again.
    }
    isBusy = false;
  };

  // The row that has the focus, else the one in the middle of what is seen.
  const rowHere = () => {
    const middle = innerHeight / 2;
    const isSeen = ({ top, bottom }) => bottom > 0 && top < innerHeight;
    const own = document.activeElement?.closest("#events tbody tr");
    if (own && isSeen(own.getBoundingClientRect())) return own;
    const here = windows.find((each) => !each.isAway && boxOf(each).bottom > middle) ?? windows.at(-1);
    if (here.isAway) return null;
    const rows = [...here.body.rows];
    return rows.find((row) => row.getBoundingClientRect().bottom > middle) ?? rows.at(-1);
  };

  // Puts the address and the links to other pages where somebody is.
  const tell = (row = rowHere()) => {
    const here = windows.find(({ body }) => body === row?.parentElement);
    if (!here) return;
    const isTop = scrollY === 0 && here === windows[0] && !row.contains(document.activeElement);
    history.replaceState(history.state, "", isTop ? here.address : `${here.address}#${row.id}`);
    const nav = here.nav.cloneNode(true);
    // Problems are walked along as far as rows are here; the next one comes after those.
    const more = windows.findLast((each) => !each.isAway).nav.querySelector("[data-more]");
    nav.querySelector("[data-more]")?.remove();
    if (more) nav.append(more.cloneNode(true));
    document.getElementById("pages").replaceChildren(...nav.childNodes);
    document.dispatchEvent(new Event("moved"));
  };

  // More has crossed: it follows on the last window.
  const grow = async () => {
    const last = windows.at(-1);
    if (last.isAway || link(last.nav, "next")) return;
    const [body, nav] = await fetched(last.address);
    const had = last.body.rows.length;
    [...body.rows].forEach((row, at) => {
      const shown = last.body.rows[at];
      if (at >= had) last.body.append(row);
      else if (!shown.isEqualNode(row) && !shown.contains(document.activeElement)) shown.replaceWith(row);
    });
    last.nav = nav;
    tell();
    look();
  };

  const start = () => {
    table = document.getElementById("events");
    if (!table) return;
    table.dataset.own = "";
    table.setAttribute("aria-rowcount", "-1");
    const nav = document.getElementById("pages").cloneNode(true);
    windows = [{ body: table.tBodies[0], nav, address: location.href.split("#")[0], isAway: false }];
    look();
  };

  history.scrollRestoration = "manual";
  document.documentElement.style.overflowAnchor = "none";
  let telling = 0;
  const moved = () => {
    if (!table) return;
    requestAnimationFrame(look);
    clearTimeout(telling);
    telling = setTimeout(() => tell(), 200);
  };
  addEventListener("scroll", moved, { passive: true });
  addEventListener("resize", moved);
  document.addEventListener("focusin", ({ target }) => {
    const row = target.closest("#events tbody tr");
    if (row) tell(row);
  });
  document.addEventListener("grown", () => (table?.isConnected ? grow().catch(() => {}) : start()));
  start();
})();
