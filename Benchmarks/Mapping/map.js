// The same work in Node: a response's bytes to one encoded row an item. Reads the response from the file that
// is named, prints the median of a few runs in
// milliseconds of processor time.
'use strict';
const { readFileSync } = require('node:fs');

const bytes = readFileSync(process.argv[2]);
const runs = Number(process.argv[3] ?? 15);

function rows() {
  const items = JSON.parse(bytes.toString('utf8'));
  return items.map((item) =>
    JSON.stringify({
      id: String(item.number),
      cellIdentifier: 'IssueCell',
      payload: {
        title: `#${item.number} ${item.title}`,
        author: item.user.login,
        imageName: item.user.avatar_url,
        comments: item.comments,
      },
      can: { edit: false, move: false, select: true },
    }),
  );
}

const times = [];
const timesByClock = [];
let count = 0;
for (let run = 0; run < runs; run++) {
  const start = process.cpuUsage();
  const began = performance.now();
  count += rows().length;
  const used = process.cpuUsage(start);
  times.push((used.user + used.system) / 1e3);
  timesByClock.push(performance.now() - began);
}
times.sort((a, b) => a - b);
console.log(JSON.stringify({ median: times[times.length >> 1], best: times[0], bestByClock: Math.min(...timesByClock), rows: count / runs }));
