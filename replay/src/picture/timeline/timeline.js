"use strict";
const search = document.getElementById("words");
const boxes = [...document.querySelectorAll(".controls input[type=checkbox]")];
const events = [...document.querySelectorAll(".timeline > li")];
const texts = events.map((event) => event.querySelector(".event").textContent.toLowerCase());
const filter = () => {
  const wanted = search.value.trim().toLowerCase();
  const hidden = new Set(boxes.filter((box) => !box.checked).map((box) => box.value));
  let shown = 0;
  events.forEach((event, index) => {
    event.hidden = hidden.has(event.dataset.actor) || !texts[index].includes(wanted);
    if (!event.hidden) shown += 1;
  });
  document.getElementById("shown").textContent = `${shown} of ${events.length} shown`;
};
document.querySelector(".controls").addEventListener("input", filter);
document.querySelector(".controls").addEventListener("submit", (submit) => submit.preventDefault());
filter();
