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

function steps() {
  // The share of right answers broken with at most so many changes, and with at least such a similarity.
  const found = Object.entries(report.searches);
  if (!data.tables.broke) { if (byId("steps-box")) byId("steps-box").remove(); return; }
  for (const [box, by, down] of [["changes-plot", "changes, at most", false], ["similarity-plot", "similarity, at least", true]]) {
    const lines = found.map(([attack, one]) => [attack, one.broke.filter((point) => point.by === by).map((point) => ({ ...point, at: Number(point.value) }))]);
    const values = [...new Set(lines.flatMap(([, points]) => points.map((point) => point.at)))].sort((a, b) => (down ? b - a : a - b));
    if (!values.length) { if (byId(box)) byId(box).remove(); continue; }
    const [left, right, top, bottom] = [46, WIDTH - 30, 14, 200];
    const x = (at) => left + ((right - left) * (values.indexOf(at) + 0.5)) / values.length;
    const most = ceiling(lines.flatMap(([, points]) => points.map((point) => point.ci95[1])));
    const y = (value) => bottom - ((bottom - top) * value) / most;
    const made = levels(left, right, top, bottom, most);
    for (const at of values) made.push(text(x(at), bottom + 18, String(at), "soft", "middle"));
    made.push(text((left + right) / 2, bottom + 38, by, "soft", "middle"));
    lines.forEach(([attack, points], which) => {
      made.push(drawn("polyline", { points: points.map((point) => `${x(point.at)},${y(point.share)}`).join(" "), class: "line", tone: tone(which) }));
      for (const point of points) {
        const told = `${shownName(attack)}: ${number(point.share, 1)} % broken, ${by} ${point.value} (95 %: ${span(point.ci95)}), ${whole(point.broken)} of ${whole(point.of)}`;
        made.push(line(x(point.at), y(point.ci95[0]), x(point.at), y(point.ci95[1]), "whisker", tone(which)), dot(x(point.at), y(point.share), "dot", tone(which), told));
      }
    });
    byId(box).replaceChildren(canvas(bottom + 48, `Success rate: ${by}`, ...made));
  }
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

function caught() {
  // What each filter misses, and stops by mistake, by the threshold of its score: thin on the originals.
  const runs = report.models.map((run, which) => [run, which]).filter(([run]) => run.catch && run.catch.originals.curves);
  const choice = byId("catch-attack");
  if (!choice.options.length) {
    choice.append(...report.attacks.map((attack) => element("option", { value: attack }, shownName(attack))));
    choice.addEventListener("change", caught);
  }
  const [left, right, top, bottom] = [46, WIDTH - 30, 14, 300];
  const x = (value) => left + (right - left) * value;
  const y = (value) => bottom - ((bottom - top) * value) / 100;
  const made = levels(left, right, top, bottom, 100);
  for (const value of [0, 0.2, 0.4, 0.6, 0.8, 1]) made.push(line(x(value), top, x(value), bottom, "grid"), text(x(value), bottom + 18, String(value), "soft", "middle"));
  made.push(text((left + right) / 2, bottom + 38, `threshold of the score of “${runs[0][0].catch.label}”`, "soft", "middle"));
  for (const [run, which] of runs) {
    const found = [[run.catch.originals, "before", 1], [run.catch.attacks[choice.value], "after", 2.5]];
    for (const [one, when, width] of found.filter(([one]) => one && one.curves)) {
      for (const [kind, dashes] of [["missed", "none"], ["false_alarms", "6 4"]]) {
        const points = run.catch.thresholds.map((value, at) => [value, one.curves[kind][at]]).filter(([, share]) => share !== null);
        const words = `${nameOf(run)}: ${kind.replace("_", " ")} ${when} ${shownName(choice.value)}`;
        made.push(drawn("polyline", { points: points.map(([value, share]) => `${x(value)},${y(share)}`).join(" "), class: "line", tone: tone(which), "stroke-dasharray": dashes, "stroke-width": width }, hint(words)));
      }
    }
    const after = run.catch.attacks[choice.value];
    if (after && after.threshold !== null && after.threshold !== undefined) {
      const words = `${nameOf(run)}: at ${number(after.threshold, 3)} it misses no more than before; false alarms on the originals then ${number(after.false_alarms_then.value)} %`;
      made.push(dot(x(after.threshold), y(after.false_alarms_then.value || 0), "dot", tone(which), words));
    }
  }
  legend(byId("catch-legend"), runs.map(([run, which]) => [nameOf(run), tone(which)]));
  byId("catch-plot").replaceChildren(canvas(bottom + 48, "Missed rows and false alarms by threshold", ...made));
}
