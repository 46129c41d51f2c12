import { actionList } from "./action-list.ts";
import { approvalList } from "./approval-list.ts";
import { approvalRespond } from "./approval-respond.ts";
import { contextGet } from "./context-get.ts";
import { eventList } from "./event-list.ts";
import { eventSubscribe } from "./event-subscribe.ts";
import { eventUnsubscribe } from "./event-unsubscribe.ts";
import type { Operation } from "./operation.ts";
import { planApply } from "./plan-apply.ts";
import { planCancel } from "./plan-cancel.ts";
import { planCreate } from "./plan-create.ts";
import { planDiff } from "./plan-diff.ts";
import { planExecute } from "./plan-execute.ts";
import { planList } from "./plan-list.ts";
import { planRetry } from "./plan-retry.ts";
import { planRevert } from "./plan-revert.ts";
import { planStatus } from "./plan-status.ts";
import { registryListResources } from "./registry-list-resources.ts";
import { registryListTools } from "./registry-list-tools.ts";
import { sessionClose } from "./session-close.ts";
import { sessionCreate } from "./session-create.ts";
import { sessionGet } from "./session-get.ts";
import { sessionList } from "./session-list.ts";
import { systemDescribe } from "./system-describe.ts";

/** Every operation, sorted by name. */
export const OPERATION_LIST: readonly Operation[] = [
  actionList,
  approvalList,
  approvalRespond,
  contextGet,
  eventList,
  eventSubscribe,
  eventUnsubscribe,
  planApply,
  planCancel,
  planCreate,
  planDiff,
  planExecute,
  planList,
  planRetry,
  planRevert,
  planStatus,
  registryListResources,
  registryListTools,
  sessionClose,
  sessionCreate,
  sessionGet,
  sessionList,
  systemDescribe,
];

export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  OPERATION_LIST.map((operation) => [operation.name, operation]),
);
