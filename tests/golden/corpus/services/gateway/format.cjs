function line(text) {
  return `> ${text}`;
}

module.exports = { line };
