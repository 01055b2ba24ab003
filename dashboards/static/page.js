// What a page does beyond HTML: charts that answer the pointer, local times, tidy filter addresses, fresh numbers.
// Everything works without this file; nothing here builds markup from data.

const dark = matchMedia("(prefers-color-scheme: dark)");
const narrow = matchMedia("(max-width: 40rem)");

function loadOnce(address) {
  loadOnce.loading ??= import(address).then(() => window.vegaEmbed);
  return loadOnce.loading;
}

async function bringToLife(chart) {
  const address = new URL(chart.dataset.spec, location.href);
  address.searchParams.set("theme", dark.matches ? "dark" : "light");
  address.searchParams.set("size", narrow.matches ? "narrow" : "wide");
  const [embed, answer] = await Promise.all([loadOnce(chart.dataset.library), fetch(address)]);
  if (!answer.ok) return;
  const spec = await answer.json();
  const place = chart.querySelector(".drawn");
  spec.description = place.dataset.sentence;
  spec.width = chart.clientWidth;
  spec.height = Math.max(spec.height, 280);
  chart.result?.finalize();
  chart.classList.add("live");
  chart.result = await embed(place, spec, {
    actions: false,
    ast: true,
    defaultStyle: false,
    renderer: "svg",
    tooltip: { disableDefaultStyle: true },
  });
}

function bringAllToLife() {
  const charts = document.querySelectorAll(".chart[data-spec]");
  const start = (chart) => bringToLife(chart).catch(() => chart.classList.remove("live"));
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      start(entry.target);
    }
  }, { rootMargin: "200px" });
  charts.forEach((chart) => seen.observe(chart));

  const again = () => charts.forEach((chart) => chart.classList.contains("live") && start(chart));
  dark.addEventListener("change", again);
  let waiting;
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(again, 250);
  });
}

function showLocalTimes() {
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (time.dateTime.length > 10 && !Number.isNaN(at.getTime())) {
      time.title = `${at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "long" })} (your time)`;
    }
  }
}

function keepAddressesTidy() {
  for (const form of document.querySelectorAll("form.filters")) {
    form.addEventListener("submit", () => {
      for (const field of form.elements) if (field.name && !field.value) field.disabled = true;
    });
  }
  addEventListener("pageshow", () => {
    for (const field of document.querySelectorAll("form.filters :disabled")) field.disabled = false;
  });
}

// On a small screen the sections scroll sideways: the current one must not lie outside the view.
function showCurrentSection() {
  const link = document.querySelector(".sections a[aria-current]");
  const list = link?.closest("ul");
  if (list) list.scrollLeft = link.offsetLeft - (list.clientWidth - link.offsetWidth) / 2;
}

// While a first crawl runs, or on a wall, the page fetches itself anew; never under a reader's hands.
function stayFresh() {
  const seconds = Number(document.body.dataset.freshSeconds);
  if (!seconds) return;
  let touched = 0;
  for (const kind of ["pointerdown", "keydown", "scroll"]) addEventListener(kind, () => { touched = Date.now(); }, { passive: true });
  setInterval(() => {
    if (!document.hidden && Date.now() - touched > seconds * 1000) location.reload();
  }, seconds * 1000);
}

bringAllToLife();
showCurrentSection();
showLocalTimes();
keepAddressesTidy();
stayFresh();
