// A strategy of promptfoo's red team: each test once more for each attack of augment-ru, by one warm process an attack.
const { spawn } = require('node:child_process');
const { createInterface } = require('node:readline');

class Perturber {
  constructor(attack) {
    const options = ['perturb', '-', '--attack', attack, '--meta', 'brief', '--quiet'];
    this.process = spawn('augment-ru', options, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  async row(text) {
    this.process.stdin.write(`${JSON.stringify({ text })}\n`);
    return JSON.parse((await this.lines.next()).value);
  }

  end() {
    this.process.stdin.end();
  }
}

module.exports = {
  id: 'augment-ru',
  action: async (testCases, injectVar, config) => {
    const found = [];
    for (const attack of config.attacks ?? ['evasion']) {
      const perturber = new Perturber(attack);
      for (const test of testCases) {
        const row = await perturber.row(String(test.vars[injectVar]));
        if (row.augment.status !== 'perturbed') continue;
        found.push({
          ...test,
          vars: { ...test.vars, [injectVar]: row.text },
          metadata: { ...test.metadata, strategyId: `augment-ru/${attack}` },
        });
      }
      perturber.end();
    }
    return found;
  },
};
