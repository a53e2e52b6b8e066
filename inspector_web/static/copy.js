// Buttons that copy the command line beside them; without this script it can be selected.
"use strict";

(() => {
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
  // What a button says changes where nobody listens: a screen reader hears it from here.
  const heard = Object.assign(document.createElement("p"), { id: "copied", className: "sr" });
  heard.setAttribute("role", "status");
  document.body.append(heard);

  const copied = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Only safe places have a clipboard: an address that others reach by plain HTTP is none.
      return false;
    }
  };

  const select = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  };

  // y copies in the row that has the focus, else the first.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "y" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, textarea, select")) return;
    const row = document.activeElement.closest("[data-row]") ?? document;
    row.querySelector("[data-copy]")?.click();
  });

  let forgetting = 0;
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy]");
    if (!button) return;
    const code = button.parentElement.querySelector("[data-copied]");
    const isCopied = await copied(code.textContent);
    if (!isCopied) select(code);
    button.dataset.state = isCopied ? "copied" : "selected";
    const [label, which] = button.childNodes;
    label.nodeValue = isCopied ? "Copied" : "Selected: copy it";
    heard.textContent = label.nodeValue + which.textContent;
    clearTimeout(forgetting);
    forgetting = setTimeout(() => {
      for (const each of document.querySelectorAll("[data-copy]")) each.firstChild.nodeValue = "Copy";
      heard.textContent = "";
    }, 2000);
  });
})();
