// Zoom and pan: works out the window, and lets the server draw it. The window is in the address.
"use strict";

(() => {
  const here = () => document.getElementById("timeline");
  const windowOf = (element) => [Number(element.dataset.from), Number(element.dataset.to)];
  let wanted = null;
  let isBusy = false;

  // Asks for the newest window only: those that came while one was drawn are passed over.
  const draw = async () => {
    if (isBusy) return;
    isBusy = true;
    while (wanted !== null) {
      const address = wanted;
      wanted = null;
      try {
        const answer = await fetch(address);
        if (!answer.ok) break;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        replace(page.getElementById("timeline"));
        history.replaceState(history.state, "", address);
      } catch {
        location.assign(address);
      }
    }
    isBusy = false;
  };

  const replace = (fresh) => {
    const stale = here();
    const key = document.activeElement?.dataset?.key;
    const keepsFocus = stale.contains(document.activeElement) && key;
    stale.replaceWith(document.adoptNode(fresh));
    if (keepsFocus) fresh.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
  };

  const show = (from, to) => {
    const address = new URL(location.href);
    const shift = Math.max(0, -from);
    address.searchParams.set("from", Math.round(from + shift));
    address.searchParams.set("to", Math.round(to + shift));
    wanted = address.href;
    draw();
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
    wanted = new URL(link.getAttribute("href"), location.href.split(/[?#]/)[0]).href;
    draw();
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

  // One finger or button moves; two fingers zoom about the point between them.
  const fingers = new Map();
  let begun = null;

  const begin = () => {
    const plot = here().querySelector(".plot");
    const xs = [...fingers.values()];
    const [from, to] = windowOf(here());
    begun = { from, to, box: plot.getBoundingClientRect(), xs };
    plot.classList.toggle("moving", xs.length > 0);
  };

  document.addEventListener("pointerdown", (event) => {
    if (!event.target.closest?.(".plot") || event.button !== 0) return;
    fingers.set(event.pointerId, event.clientX);
    begin();
  });

  document.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, event.clientX);
    const { from, to, box, xs } = begun;
    const now = [...fingers.values()];
    const us = to - from;
    if (now.length === 1) {
      const by = ((xs[0] - now[0]) / box.width) * us;
      if (Math.abs(xs[0] - now[0]) > 2) show(from + by, to + by);
    } else if (Math.abs(now[0] - now[1]) > 10) {
      const factor = Math.abs(xs[0] - xs[1]) / Math.abs(now[0] - now[1]);
      const at = from + us * (((xs[0] + xs[1]) / 2 - box.left) / box.width);
      const middle = ((now[0] + now[1]) / 2 - box.left) / box.width;
      show(at - us * factor * middle, at + us * factor * (1 - middle));
    }
  });

  const end = (event) => {
    if (fingers.delete(event.pointerId)) begin();
  };
  document.addEventListener("pointerup", end);
  document.addEventListener("pointercancel", end);
})();
