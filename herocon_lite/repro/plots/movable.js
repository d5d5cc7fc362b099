// Draws each figure of class "movable" as SVG, with a slider that keys move too. No library.
// The figure's data stand in the page as JSON, made by interactive.py. Ink and grid take the colour of
// the text around them, so that they follow the theme.
(() => {
  const [LEFT, RIGHT, TOP, BOTTOM] = [58, 10, 10, 46];
  const DASHES = { dot: "2 4", dash: "7 5" };
  // No two curves by colour alone: those without a dash of their own get one of these.
  const CURVES = ["", "12 3", "12 3 2 3", "18 4", "6 2", "18 3 6 3", "3 2"];
  const MARKS = [
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0", "M-4.5-4.5h9v9h-9z", "M0-6.4L6.4 0L0 6.4L-6.4 0z",
    "M0-6L6 5H-6z", "M0 6L6-5H-6z",
  ];

  const make = (tag, attributes, inside = []) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...inside);
    return node;
  };
  // A part that is the same at every position is stored once.
  const at = (part, position) => (part.length === 1 ? part[0] : part[position]);

  const scales = ({ x, y, square }, room) => {
    const all = Math.min(640, Math.max(300, room || 640)); // a phone gets a smaller plot, not smaller letters
    let [wide, high] = [all - LEFT - RIGHT, 0.6 * all - TOP - BOTTOM + 20];
    const [w, h] = [x.range[1] - x.range[0], y.range[1] - y.range[0]];
    if (square) [wide, high] = [w, h].map((side) => side * Math.min(wide / w, high / h));
    return {
      wide, high,
      X: (value) => ((value - x.range[0]) / w) * wide,
      Y: (value) => high - ((value - y.range[0]) / h) * high,
    };
  };

  const text = (words, attributes) => make("text", { fill: "currentColor", ...attributes }, [words]);

  const axes = (figure, { wide, high, X, Y }) => {
    const grid = { stroke: "currentColor", "stroke-opacity": 0.18 };
    const inside = [];
    for (const [place, label] of figure.x.ticks) {
      inside.push(make("line", { x1: X(place), x2: X(place), y1: 0, y2: high, ...grid }));
      inside.push(text(label, { x: X(place), y: high + 18, "text-anchor": "middle" }));
    }
    for (const [place, label] of figure.y.ticks) {
      inside.push(make("line", { x1: 0, x2: wide, y1: Y(place), y2: Y(place), ...grid }));
      inside.push(text(label, { x: -7, y: Y(place) + 5, "text-anchor": "end" }));
    }
    const side = { x: -high / 2, y: -44, transform: "rotate(-90)", "text-anchor": "middle" };
    inside.push(text(figure.x.label, { x: wide / 2, y: high + 40, "text-anchor": "middle" }));
    inside.push(text(figure.y.label, side));
    return inside;
  };

  // What a trace looks like, the same in the plot and in the key.
  const look = (trace, curve, mark) =>
    trace.mode === "markers"
      ? { d: MARKS[mark % MARKS.length], fill: trace.colour }
      : {
          fill: "none", stroke: trace.colour, "stroke-width": 2.5,
          "stroke-dasharray": DASHES[trace.dash] ?? CURVES[curve % CURVES.length],
        };

  const looks = (traces) => {
    let [curves, marks] = [0, 0];
    return traces.map((trace) => {
      const free = trace.mode !== "markers" && !trace.dash && at(trace.y, 0).length > 2;
      return look(trace, free ? curves++ : 0, trace.mode === "markers" ? marks++ : 0);
    });
  };

  const key = (traces, styles) => {
    const list = document.createElement("ul");
    list.className = "movable-key";
    list.style.cssText = "display:flex;flex-wrap:wrap;gap:.2em 1.2em;list-style:none;margin:0;padding:0";
    traces.forEach((trace, number) => {
      const place = trace.mode === "markers" ? { transform: "translate(14 7)" } : { d: "M0 7H28" };
      const sample = make("svg", { width: 28, height: 14, "aria-hidden": true }, [
        make("path", { ...styles[number], ...place }),
      ]);
      const item = document.createElement("li");
      item.append(sample, ` ${trace.name}`);
      list.append(item);
    });
    return list;
  };

  const draw = (place) => {
    const figure = JSON.parse(place.querySelector("script").textContent);
    const scale = scales(figure, place.clientWidth);
    const { wide, high, X, Y } = scale;
    const styles = looks(figure.traces);
    const box = make("svg", { width: wide, height: high, overflow: "hidden" });
    const size = [wide + LEFT + RIGHT, high + TOP + BOTTOM];
    const name = { role: "img", "aria-label": place.dataset.alt };
    const css = `display:block;width:100%;max-width:${size[0]}px;font:14px sans-serif`;
    const plot = make("svg", { viewBox: `0 0 ${size.join(" ")}`, style: css, ...name }, [
      make("g", { transform: `translate(${LEFT} ${TOP})` }, [...axes(figure, scale), box]),
    ]);

    const label = document.createElement("label");
    label.style.cssText = "display:flex;flex-wrap:wrap;gap:.2em .75em;align-items:center;margin:.4em 0";
    const range = document.createElement("input");
    const now = document.createElement("output");
    Object.assign(range, { type: "range", min: 0, max: figure.positions.length - 1, step: 1 });
    range.value = figure.start;
    range.style.flex = "1 1 12em";
    range.style.maxWidth = "24em";
    label.append(`${figure.slider}: `, range, now);

    const show = () => {
      const position = Number(range.value);
      now.textContent = figure.positions[position];
      range.setAttribute("aria-valuetext", figure.positions[position]);
      box.replaceChildren();
      figure.traces.forEach((trace, number) => {
        const [xs, ys] = [at(trace.x, position), at(trace.y, position)];
        const points = ys.map((y, i) => [X(xs[i]).toFixed(1), Y(y).toFixed(1)]);
        if (trace.mode === "markers")
          for (const [x, y] of points)
            box.append(make("path", { ...styles[number], transform: `translate(${x} ${y})` }));
        else box.append(make("path", { ...styles[number], d: `M${points.join("L")}` }));
      });
    };
    range.addEventListener("input", show);
    place.replaceChildren(label, plot, key(figure.traces, styles));
    show();
  };

  const start = () => document.querySelectorAll(".movable[data-alt]:not(:has(svg))").forEach(draw);
  document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", start) : start();
})();
