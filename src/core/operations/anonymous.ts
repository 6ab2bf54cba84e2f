/**
 * The access that everybody has to the objects below a prefix, as statements of a bucket's policy.
 */

export type AnonymousAccess = "download" | "upload" | "public" | "none";

interface Statement {
  readonly Effect?: string;
  readonly Principal?: unknown;
  readonly Action?: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly Condition?: unknown;
}

export interface Policy {
  readonly Version?: string;
  readonly Statement?: Statement | readonly Statement[];
}

const ACTIONS: Readonly<Record<AnonymousAccess, readonly string[]>> = {
  download: ["s3:GetObject"],
  upload: ["s3:PutObject"],
  public: ["s3:GetObject", "s3:PutObject"],
  none: [],
};

/** The policy with that access for everybody below `bucket/prefix`; undefined when nothing is left. */
export function withAccess(
  policy: Policy | undefined,
  bucket: string,
  prefix: string,
  access: AnonymousAccess,
): Policy | undefined {
  const resource = resourceOf(bucket, prefix);
  const others = statementsOf(policy).filter((statement) => !isOurs(statement, resource));
  const Action = ACTIONS[access];
  const own: Statement[] =
    Action.length === 0
      ? []
      : [{ Effect: "Allow", Principal: { AWS: ["*"] }, Action, Resource: [resource] }];
  const Statement = [...others, ...own];
  return Statement.length === 0 ? undefined : { Version: "2012-10-17", ...policy, Statement };
}

/** The access that everybody has below `bucket/prefix`, by statements about just that. */
export function accessOf(
  policy: Policy | undefined,
  bucket: string,
  prefix: string,
): AnonymousAccess {
  const resource = resourceOf(bucket, prefix);
  const allowed = new Set(
    statementsOf(policy)
      .filter((statement) => isOurs(statement, resource))
      .flatMap(({ Action = [] }) => Action),
  );
  const known: readonly AnonymousAccess[] = ["public", "download", "upload"];
  return known.find((access) => ACTIONS[access].every((action) => allowed.has(action))) ?? "none";
}

function resourceOf(bucket: string, prefix: string): string {
  return `arn:aws:s3:::${bucket}/${prefix}*`;
}

function statementsOf(policy: Policy | undefined): readonly Statement[] {
  return [policy?.Statement ?? []].flat();
}

/** Whether a statement does nothing but let everybody read or write just this. */
function isOurs(statement: Statement, resource: string): boolean {
  const { Effect, Principal, Action = [], Resource = [], Condition } = statement;
  const everybody = Principal === "*" || String((Principal as { AWS?: unknown })?.AWS) === "*";
  const resources = [Resource].flat();
  return (
    Effect === "Allow" &&
    everybody &&
    Condition === undefined &&
    resources.length === 1 &&
    resources[0] === resource &&
    [Action].flat().every((action) => ACTIONS.public.includes(action))
  );
}
