// Pages grow while their tape is being written. Only what the server says anew is changed, so that
// the scroll, the selection, the focus and what was opened stay.
"use strict";

(() => {
  const note = document.querySelector("[data-live]");
  // What other scripts draw; they are told by the event "grown".
  const OWN = "#timeline, #by-then, [data-own]";
  let told = document.getElementById("main").cloneNode(true);
  let isAsking = false;
  let isWanted = false;
  // What took long to be made is left alone so many times as long.
  const REST = 3;
  let source = null;

  const alike = (a, b) =>
    a.nodeType === b.nodeType && a.nodeName === b.nodeName && (a.id ?? "") === (b.id ?? "");

  // Makes what is shown say what is fresh, where that is not what was told before.
  const patch = (shown, before, fresh) => {
    if (before.isEqualNode(fresh)) return;
    if (shown.nodeType !== Node.ELEMENT_NODE) {
      shown.nodeValue = fresh.nodeValue;
      return;
    }
    if (shown.matches(OWN)) return;
    // Whether a fold is open is up to the person.
    for (const { name, value } of fresh.attributes) {
      if (name !== "open" && before.getAttribute(name) !== value) shown.setAttribute(name, value);
    }
    for (const { name } of before.attributes) {
      if (name !== "open" && !fresh.hasAttribute(name)) shown.removeAttribute(name);
    }
    const olds = [...before.childNodes];
    const news = [...fresh.childNodes];
    const seen = [...shown.childNodes];
    if (seen.length !== olds.length) {
      // A script has changed what stands here: the server's word counts.
      shown.replaceChildren(...news.map((node) => document.importNode(node, true)));
      return;
    }
    let ahead = 0;
    while (ahead < Math.min(olds.length, news.length) && alike(olds[ahead], news[ahead])) ahead++;
    let behind = 0;
    const room = Math.min(olds.length, news.length) - ahead;
    while (behind < room && alike(olds.at(-1 - behind), news.at(-1 - behind))) behind++;
    for (let at = 0; at < ahead; at++) patch(seen[at], olds[at], news[at]);
    for (let at = 1; at <= behind; at++) patch(seen.at(-at), olds.at(-at), news.at(-at));
    const next = seen[seen.length - behind] ?? null;
    for (const node of seen.slice(ahead, seen.length - behind)) node.remove();
    for (const node of news.slice(ahead, news.length - behind)) {
      shown.insertBefore(document.importNode(node, true), next);
    }
  };

  const grow = async () => {
    isWanted = true;
    if (isAsking) return;
    isAsking = true;
    while (isWanted) {
      isWanted = false;
      const beganAt = performance.now();
      try {
        const page = await view.fetched(location.href.split("#")[0]);
        if (!page) break;
        const fresh = page.getElementById("main");
        patch(document.getElementById("main"), told, fresh);
        told = fresh.cloneNode(true);
        if (document.title !== page.title) document.title = page.title;
        document.dispatchEvent(new CustomEvent("grown", { detail: page }));
        const restMs = REST * (performance.now() - beganAt);
        await new Promise((done) => setTimeout(done, restMs));
      } catch {
        break;
      }
    }
    isAsking = false;
  };

  // Results stay as they are: the person is told that there are more.
  const offer = document.querySelector("[data-offer]");
  const hear = () => (offer ? (offer.hidden = false) : grow());

  const over = () => {
    source.close();
    note.hidden = true;
    document.removeEventListener("visibilitychange", turn);
    // It may be over because the tape is gone.
    if (!offer) grow();
  };

  const watch = () => {
    if (source || document.hidden) return;
    source = new EventSource(note.dataset.live);
    source.addEventListener("grown", hear);
    source.addEventListener("over", over);
    source.addEventListener("error", () => {
      // Refused: a server that is only gone is asked again.
      if (source?.readyState === EventSource.CLOSED) over();
    });
  };

  // A browser keeps few connections to one server: a page that nobody sees needs none.
  const turn = () => {
    if (document.hidden) {
      source?.close();
      source = null;
    } else {
      watch();
    }
  };

  note.hidden = false;
  document.addEventListener("visibilitychange", turn);
  addEventListener("pagehide", () => source?.close());
  watch();
})();
