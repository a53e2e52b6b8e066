// One table of all events, as long as they are many: rows have one height, so that each has its
// place before it is there. The windows that are looked at are fetched, and the others dropped; the
// address says where somebody is.
"use strict";

(() => {
  // A browser draws nothing beyond some millions of pixels: of more rows, the scrollbar moves by
  // more than what it shows, though the wheel and the keys do not.
  const MOST_PX = window.wiretapeMostPx ?? 15_000_000;
  // Near the ends nothing is squeezed, so that the first and the last row are where they would be.
  const EDGE_PX = window.wiretapeEdgePx ?? 100_000;
  const JUMP_SCREENS = 2;
  const ASK_AGAIN_MS = 500;
  let table = null;
  // What is fetched at once, in rows; a window is a page of the server: its first row, counted from
  // 0, its rows in the table, and the links on it. Windows follow on one another.
  let length = 0;
  let windows = [];
  let above = null;
  let below = null;
  let rowPx = 0;
  // How many rows there are, as far as is known, and how far they stand above their own place.
  let total = 0;
  let shiftPx = 0;
  let lastY = 0;

  const number = (value) => value.toLocaleString("en");
  const headPx = () => table.tHead.getBoundingClientRect().height;
  const yNow = () => -table.getBoundingClientRect().top;
  const screenPx = () => innerHeight - headPx();
  const rowsPx = () => total * rowPx;
  const fullPx = () => Math.min(rowsPx(), MOST_PX);
  const extraPx = () => rowsPx() - fullPx();
  const middlePx = () => fullPx() - screenPx() - 2 * EDGE_PX;
  const shiftAt = (y) => extraPx() * Math.min(Math.max((y - EDGE_PX) / middlePx(), 0), 1) || 0;
  const yAt = (place) => {
    if (place <= EDGE_PX || !extraPx()) return place;
    if (place >= rowsPx() - screenPx() - EDGE_PX) return place - extraPx();
    return EDGE_PX + ((place - EDGE_PX) * middlePx()) / (middlePx() + extraPx());
  };

  const spacer = () => {
    const body = document.createElement("tbody");
    body.className = "away";
    body.setAttribute("aria-hidden", "true");
    body.insertRow().insertCell().colSpan = table.tHead.rows[0].cells.length;
    return body;
  };

  const stretch = (body, px) => {
    const cell = body.rows[0].cells[0];
    const height = `${Math.max(px, 0)}px`;
    body.hidden = px <= 0;
    if (cell.style.height !== height) cell.style.height = height;
  };

  const afterLast = () => windows.at(-1).first + windows.at(-1).body.rows.length;

  // Gives what is not there its height.
  const layOut = () => {
    const abovePx = windows.length ? windows[0].first * rowPx - shiftPx : fullPx();
    const shownPx = windows.length ? (afterLast() - windows[0].first) * rowPx : 0;
    stretch(above, abovePx);
    stretch(below, fullPx() - abovePx - shownPx);
  };

  // Brings the scrollbar to where it belongs for what is seen, which does not move.
  const settle = () => {
    const y = yNow();
    const place = y + shiftPx;
    const there = y < 0 ? y : yAt(place);
    if (Math.abs(there - y) < 1) return;
    shiftPx = place - there;
    layOut();
    scrollBy({ top: there - yNow(), behavior: "instant" });
    lastY = yNow();
  };

  const seen = (room = 0) => {
    const place = yNow() + shiftPx;
    const at = (px) => Math.min(Math.max(Math.floor(px / rowPx), 0), Math.max(total - 1, 0));
    return [at(place - room), at(place + screenPx() + room)];
  };

  const goTo = (row, room = 0) => {
    const place = Math.max(row * rowPx - room, 0);
    const there = yAt(place);
    shiftPx = place - there;
    layOut();
    scrollBy({ top: there - yNow(), behavior: "instant" });
    lastY = yNow();
  };

  const base = () => {
    const address = new URL(location.href.split("#")[0]);
    for (const name of ["go", "after", "before"]) address.searchParams.delete(name);
    return address;
  };

  const addressOf = (row) => {
    const address = base();
    if (row > 0) address.searchParams.set("go", row + 1);
    return address.href;
  };

  const fetched = async (address) => {
    const page = await view.fetched(address);
    if (!page) throw new Error("refused");
    return page;
  };

  const windowOf = (page, first) => ({
    first,
    body: document.adoptNode(page.getElementById("events")?.tBodies[0] ?? page.createElement("tbody")),
    nav: document.adoptNode(page.getElementById("pages")),
    of: total,
  });

  const dropFar = () => {
    const [from, to] = seen(screenPx());
    const isNear = ({ first }) => first + length > from - length && first < to + length;
    for (const each of windows) if (!isNear(each)) each.body.remove();
    windows = windows.filter(isNear);
  };

  // More has crossed: what was there stays, as far as it is the same.
  const merge = (old, fresh) => {
    const had = old.body.rows.length;
    [...fresh.body.rows].forEach((row, at) => {
      const shown = old.body.rows[at];
      if (at >= had) old.body.append(row);
      else if (!shown.isEqualNode(row) && !shown.contains(document.activeElement)) shown.replaceWith(row);
    });
    Object.assign(old, { nav: fresh.nav, of: fresh.of });
    layOut();
  };

  // Nothing is measured until all have their place: what moved in between would move the page.
  const add = (fresh) => {
    const focus = document.activeElement?.closest("#events [data-row]")?.id;
    dropFar();
    const old = windows.find(({ first }) => first === fresh.first);
    if (old) return merge(old, fresh);
    const next = windows.findIndex(({ first }) => first > fresh.first);
    (next < 0 ? below : windows[next].body).before(fresh.body);
    windows.splice(next < 0 ? windows.length : next, 0, fresh);
    // What does not follow on it is far away.
    const at = windows.indexOf(fresh);
    let from = at;
    let to = at;
    while (from > 0 && windows[from - 1].first + length === windows[from].first) from--;
    while (to + 1 < windows.length && windows[to].first + length === windows[to + 1].first) to++;
    for (const each of [...windows.slice(0, from), ...windows.slice(to + 1)]) each.body.remove();
    windows = windows.slice(from, to + 1);
    layOut();
    if (focus && document.activeElement === document.body) {
      document.getElementById(focus)?.querySelector("a").focus({ preventScroll: true });
    }
  };

  // The window that is missing or has got more, what is seen first.
  const missing = () => {
    const isHere = (at) => {
      const here = windows.find(({ first }) => first === at);
      return here && (here.of === total || here.body.rows.length === Math.min(length, total - at));
    };
    for (const room of [0, screenPx()]) {
      const [from, to] = seen(room);
      for (let at = from - (from % length); at <= to; at += length) if (!isHere(at)) return at;
    }
    return null;
  };

  let isBusy = false;
  const look = async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      for (let at = missing(); at !== null && table.isConnected; at = missing()) {
        const page = await fetched(addressOf(at));
        add(windowOf(page, at));
        tell();
      }
    } catch {
      // The server is gone: the next move asks again.
    }
    isBusy = false;
  };

  // The row that has the focus, else the one in the middle of what is seen.
  const rowHere = () => {
    const isSeen = ({ top, bottom }) => bottom > 0 && top < innerHeight;
    const own = document.activeElement?.closest("#events [data-row]");
    if (own && isSeen(own.getBoundingClientRect())) return own;
    const rows = windows.flatMap(({ body }) => [...body.rows]);
    const [from, to] = seen();
    return rows[Math.min(Math.floor((from + to) / 2), total - 1) - (windows[0]?.first ?? 0)] ?? null;
  };

  // Puts the address and the links to other pages where somebody is.
  const tell = (row = rowHere()) => {
    const [from, to] = seen();
    const here = document.getElementById("here");
    if (here && total) here.textContent = `rows ${number(from + 1)} to ${number(to + 1)}`;
    const within = windows.find(({ body }) => body === row?.parentElement);
    if (!within) return;
    const isTop = scrollY === 0 && !row.contains(document.activeElement);
    const at = within.first + row.sectionRowIndex;
    history.replaceState(history.state, "", isTop ? base().href : `${addressOf(at)}#${row.id}`);
    const nav = within.nav.cloneNode(true);
    // Problems are walked along as far as rows are here; the next one comes after those.
    const more = windows.at(-1).nav.querySelector("[data-more]");
    nav.querySelector("[data-more]")?.remove();
    if (more) nav.append(more.cloneNode(true));
    document.getElementById("pages").replaceChildren(...nav.childNodes);
    document.dispatchEvent(new Event("moved"));
  };

  // How many there are: more than before where a tape grows, or where somebody counts them still.
  let asking = 0;
  const count = (found) => {
    document.getElementById("found").replaceWith(found);
    clearTimeout(asking);
    if (found.dataset.counting) asking = setTimeout(askCount, ASK_AGAIN_MS);
    if (!table?.isConnected || !above) return;
    const place = yNow() + shiftPx;
    total = Math.max(Number(found.dataset.found), windows.length ? afterLast() : 0);
    table.setAttribute("aria-rowcount", found.dataset.counting ? -1 : total + 1);
    if (extraPx() && place > 0) goTo(place / rowPx);
    layOut();
    look();
  };

  const askCount = async () => {
    try {
      const page = await fetched(document.getElementById("found").dataset.counting);
      const found = document.adoptNode(page.getElementById("found"));
      const isNumbered = table?.isConnected && above;
      if (isNumbered || found.dataset.counting) return count(found);
      // Now every row has its number.
      renew(await fetched(location.href.split("#")[0]));
    } catch {
      asking = setTimeout(askCount, 4 * ASK_AGAIN_MS);
    }
  };

  const renew = (page) => {
    for (const id of ["found", "events", "pages"]) {
      const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
      if (old && fresh) old.replaceWith(document.adoptNode(fresh));
    }
    start();
  };

  const start = async () => {
    table = document.getElementById("events");
    above = below = null;
    windows = [];
    const found = document.getElementById("found");
    clearTimeout(asking);
    if (found?.dataset.counting) asking = setTimeout(askCount, ASK_AGAIN_MS);
    if (!table) return;
    table.dataset.own = "";
    if (!table.dataset.first) return;
    const [body] = table.tBodies;
    const first = Number(table.dataset.first) - 1;
    const chosen = table.querySelector("[aria-current]");
    length = Number(table.dataset.page);
    rowPx = body.getBoundingClientRect().height / body.rows.length;
    total = Math.max(Number(found.dataset.found), first + body.rows.length);
    [above, below] = [spacer(), spacer()];
    body.before(above);
    body.after(below);
    const nav = document.getElementById("pages").cloneNode(true);
    windows = [{ first, body, nav, of: total }];
    layOut();
    if (chosen) {
      goTo(Number(table.dataset.chosen) - 1, screenPx() / 2);
      chosen.querySelector("a").focus({ preventScroll: true });
    } else if (first) {
      goTo(first);
    }
    lastY = yNow();
    look();
  };

  history.scrollRestoration = "manual";
  document.documentElement.style.overflowAnchor = "none";
  let telling = 0;
  const moved = () => {
    if (!above || !table.isConnected) return;
    const y = yNow();
    if (extraPx()) {
      if (Math.abs(y - lastY) > JUMP_SCREENS * innerHeight) {
        shiftPx = shiftAt(y);
        dropFar();
        layOut();
      }
      const isAtEdge = windows.length && windows[0].first * rowPx < shiftPx;
      if (isAtEdge || scrollY === 0) settle();
    }
    lastY = yNow();
    requestAnimationFrame(look);
    clearTimeout(telling);
    telling = setTimeout(() => {
      if (extraPx()) settle();
      tell();
    }, 200);
  };
  addEventListener("scroll", moved, { passive: true });
  addEventListener("resize", () => {
    const body = windows[0]?.body;
    if (!body?.rows.length) return;
    const row = seen()[0];
    const px = body.getBoundingClientRect().height / body.rows.length;
    if (px !== rowPx && yNow() > 0) {
      rowPx = px;
      goTo(row);
    }
    rowPx = px;
    layOut();
    moved();
  });
  document.addEventListener("focusin", ({ target }) => {
    const row = target.closest("#events [data-row]");
    if (row && above) tell(row);
  });
  document.addEventListener("grown", ({ detail: page }) => {
    const found = page.getElementById("found");
    if (!found) return;
    if (table?.isConnected && above) count(document.adoptNode(found));
    else renew(page);
  });
  start();
})();
