// What is chosen in a filter acts at once; the way to the sessions leads to their list as it was
// left. Without this script there is a button, and the list is that of all sessions.
"use strict";

(() => {
  document.addEventListener("change", ({ target }) => {
    if (!target.matches("form[data-at-once] select")) return;
    sessionStorage.setItem("chosen", target.name);
    target.form.requestSubmit();
  });

  // The page that follows goes on where somebody chose.
  const chosen = sessionStorage.getItem("chosen");
  sessionStorage.removeItem("chosen");
  if (chosen) document.querySelector(`form[data-at-once] select[name="${chosen}"]`)?.focus();

  const brand = document.querySelector("a.brand");
  const ofAll = brand.href;
  if (brand.matches("[aria-current]")) {
    addEventListener("pagehide", () =>
      sessionStorage.setItem("list", location.search + location.hash));
  } else {
    addEventListener("pageshow", () => {
      brand.href = ofAll + (sessionStorage.getItem("list") ?? "");
    });
  }
})();
