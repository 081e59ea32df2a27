/**
 * Lets items of the queue be dragged to another place, by their grips. The
 * buttons of each item do the same without a mouse and without this.
 *
 * @module
 */
const form = document.getElementById("drag");
let held;
let target;

function rowOf(event) {
  return event.target.closest?.("tbody tr") ?? null;
}

function itemOf(row) {
  return row.querySelector(".grip").dataset.item;
}

function unmark() {
  target?.row.classList.remove("put-above", "put-below");
  target = undefined;
}

function mark(row, side) {
  unmark();
  target = { row, side };
  row.classList.add(`put-${side}`);
}

function letGo() {
  unmark();
  held?.classList.remove("held");
  held = undefined;
}

for (const grip of document.querySelectorAll(".grip")) {
  grip.hidden = false;
  grip.draggable = true;
  grip.addEventListener("dragstart", (event) => {
    held = rowOf(event);
    held.classList.add("held");
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", itemOf(held));
    event.dataTransfer.setDragImage(held, 0, 0);
  });
  grip.addEventListener("dragend", letGo);
}

const rows = document.querySelector("tbody");

rows.addEventListener("dragover", (event) => {
  const row = rowOf(event);
  if (held === undefined || row === null) return;
  if (row === held) return unmark();
  event.preventDefault();
  const { top, height } = row.getBoundingClientRect();
  mark(row, event.clientY < top + height / 2 ? "above" : "below");
});

rows.addEventListener("drop", (event) => {
  if (held === undefined || target === undefined) return;
  event.preventDefault();
  form.action = `${form.dataset.path}/${itemOf(held)}/beside`;
  form.elements.namedItem("beside").value = itemOf(target.row);
  form.elements.namedItem("side").value = target.side;
  letGo();
  form.submit();
});
