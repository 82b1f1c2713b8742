const format = require("./format.cjs");

export const log = (text) => {
  console.log(format.line(text));
};

export class Logger {
  static create() {
    return new Logger();
  }

  write(text) {
    log(text);
  }
}
