import { Logger } from "./log.js";
import Badge from "./Badge.tsx";

export function StatusPage(props) {
  const logger = Logger.create();
  logger.write("shown");
  return <Badge text={props.text} />;
}
