#!/bin/sh
# The same with nothing but a shell and curl: starts `acumen serve` on a small git project, makes a plan, executes, reviews and applies it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
if ! command -v curl >/dev/null 2>&1; then
  echo "skipped: curl is not installed"
  exit 0
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/acumen-example-XXXXXX")
server=
finish() {
  code=$?
  trap - EXIT
  [ -z "$server" ] || { kill "$server" 2>/dev/null || :; wait "$server" 2>/dev/null || :; }
  rm -rf "$work"
  exit "$code"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
  echo "failed: $1" >&2
  exit 1
}

# A project with one commit.
mkdir "$work/shop"
cd "$work/shop"
echo "# Shop" > README.md
git init -q
git add README.md
git -c user.name=Example -c user.email=example@localhost commit -q -m First

# The server, with a model that is played from plan.json: no key, no network.
ACUMEN_HOME="$work/home" node "$here/../../packages/cli/bin/acumen.js" serve --ephemeral --port 0 \
  --model "scripted/$here/plan.json" 2> "$work/log" &
server=$!
tries=0
while ! grep -q '^ACUMEN_TOKEN=' "$work/log"; do
  kill -0 "$server" 2>/dev/null || fail "$(cat "$work/log")"
  tries=$((tries + 1))
  [ "$tries" -lt 600 ] || fail "acumen serve did not start"
  sleep 0.1
done
url=$(sed -n 's/^acumen: serving .* at //p' "$work/log")
token=$(sed -n 's/^ACUMEN_TOKEN=//p' "$work/log")

# dispatch OPERATION PARAMS [IDEMPOTENCY_KEY]: the answer's JSON; an HTTP status that is an error ends the script.
dispatch() {
  curl -sS --fail-with-body "$url/acp/v1/dispatch" -H "Authorization: Bearer $token" \
    -H 'Content-Type: application/json' ${3:+-H "Idempotency-Key: $3"} \
    -d "{\"operation\":\"$1\",\"params\":$2}"
}
# field NAME: the first text of this name in the JSON on stdin.
field() {
  sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" | head -n 1
}
# member NAME: the same for data, wherever it stands in the line.
member() {
  grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | field "$1"
}

session=$(dispatch session.create '{"title":"Opening hours"}' | member session_id)
[ -n "$session" ] || fail "no session"

# With a key the request can be sent again, and is carried out once.
params="{\"action_name\":\"builtin/task\",\"arguments\":{\"prompt\":\"Add the opening hours.\"},\"session_id\":\"$session\"}"
plan=$(dispatch plan.create "$params" key-1 | member plan_id)
again=$(dispatch plan.create "$params" key-1 | member plan_id)
[ -n "$plan" ] && [ "$plan" = "$again" ] || fail "one key made the plans $plan and $again"

# Strategize and execute; the answer comes when the work is done.
state=$(dispatch plan.execute "{\"plan_id\":\"$plan\",\"wait\":true}" | member state)
[ "$state" = complete ] || fail "the plan is $state"
[ "$(cat README.md)" = "# Shop" ] || fail "the project changed before the apply"

diff=$(dispatch plan.diff "{\"plan_id\":\"$plan\"}")
echo "$diff" | grep -q 'Open from 9 to 18' || fail "the diff shows no opening hours"
digest=$(echo "$diff" | member changeset_digest)

# Apply what was reviewed, or nothing.
state=$(dispatch plan.apply "{\"plan_id\":\"$plan\",\"expected_digest\":\"$digest\"}" | member state)
[ "$state" = applied ] || fail "the plan is $state"
grep -q 'Open from 9 to 18' README.md || fail "the project has no opening hours"

# The plan's events from the first one on: the stream ends by itself, because the plan can change no more.
curl -sS -N --fail-with-body --max-time 30 "$url/acp/v1/events?plan_id=$plan&after=0" \
  -H "Authorization: Bearer $token" > "$work/events"
sed -n 's/^event: //p' "$work/events"
grep -q '^event: plan.applied' "$work/events" || fail "no event tells of the apply"

# Without a token nothing is answered.
status=$(curl -sS -o /dev/null -w '%{http_code}' "$url/acp/v1/dispatch" -d '{"operation":"plan.list"}')
[ "$status" = 401 ] || fail "without a token the status is $status"
echo ok
