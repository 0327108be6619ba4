function curve() {
  // The share of right answers broken by a number of queries, on a logarithmic scale, with its 95 % band.
  const found = Object.entries(report.searches);
  const [left, right, top, bottom] = [46, WIDTH - 30, 14, 300];
  const numbers = [...new Set(found.flatMap(([, one]) => one.curve.map((point) => point.queries)))].sort((a, b) => a - b);
  const [low, high] = [Math.log(numbers[0]), Math.log(numbers[numbers.length - 1] || 1)];
  const x = (value) => (high === low ? (left + right) / 2 : left + ((right - left) * (Math.log(value) - low)) / (high - low));
  const most = ceiling(found.flatMap(([, one]) => one.curve.map((point) => (point.ci95 || [0, point.asr])[1])));
  const y = (value) => bottom - ((bottom - top) * value) / most;
  const made = levels(left, right, top, bottom, most);
  let last = -Infinity;
  for (const value of numbers) {
    if (x(value) - last < 34) continue;
    last = x(value);
    made.push(line(x(value), top, x(value), bottom, "grid"), text(x(value), bottom + 18, whole(value), "soft", "middle"));
  }
  made.push(text((left + right) / 2, bottom + 38, "queries for a row, at most", "soft", "middle"));
  found.forEach(([, one], which) => {
    const points = one.curve.filter((point) => point.ci95);
    const upper = points.map((point) => `${x(point.queries)},${y(point.ci95[1])}`);
    const lower = points.map((point) => `${x(point.queries)},${y(point.ci95[0])}`).reverse();
    made.push(drawn("polygon", { points: [...upper, ...lower].join(" "), class: "bandwidth", tone: tone(which) }));
  });
  found.forEach(([attack, one], which) => {
    const points = one.curve.filter((point) => point.asr !== null);
    made.push(drawn("polyline", { points: points.map((point) => `${x(point.queries)},${y(point.asr)}`).join(" "), class: "line", tone: tone(which) }));
    for (const point of points) {
      const words = `${shownName(attack)}: ${number(point.asr, 1)} % broken by ${whole(point.queries)} queries (95 %: ${span(point.ci95)}), ${whole(point.broken)} of ${whole(one.right)}`;
      made.push(dot(x(point.queries), y(point.asr), "dot", tone(which), words));
    }
  });
  legend(byId("curve-legend"), found.map(([attack], which) => [shownName(attack), tone(which)]));
  byId("curve-plot").replaceChildren(canvas(bottom + 48, "Success rate by number of queries, with 95 % bands", ...made));
}

function transfer() {
  const table = data.tables.transfer;
  if (!table) return byId("transfer-box").remove();
  const made = Object.entries(report.searches);
  byId("transfer").append(grid(table, (one, at, column) => {
    const [attack, search] = made[column - table.named] || [];
    if (!attack) return;
    const run = report.models[at];
    const entry = run.attacks[attack];
    one.classList.add("heat");
    if (run.signature !== null && run.signature === search.model) one.classList.add("own");
    one.title = `${whole(entry.broken)} of ${whole(entry.right)} right predictions broken; 95 %: ${span(entry.ci95)}`;
    one.style.setProperty("--share", ((entry.asr || 0) / 100 * 0.55).toFixed(3));
  }));
  saving(byId("transfer"), table);
}
