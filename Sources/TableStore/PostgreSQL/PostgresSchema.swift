/// The tables of the database, and how they came to be: in a schema of their own, `tablecast`.
///
/// Texts are kept as bytes, which may be anything; what may be long is found by its digest, as an index has no room
/// for it. `feed` is the schema's word for the record of a table or of a source's items.
enum PostgresSchema {
  /// The statements of each migration, in their order. One, once released, is never edited: the next change is the
  /// next one.
  static let migrations: [[String]] = [
    tables + functions, handover, memberHandover, itemNames, viewHolder, itemRecords,
  ]

  /// Held while the schema is looked at and changed: `TBLC`.
  static let lock = "SELECT pg_advisory_xact_lock(1413630019)"

  static let exists = "SELECT 1 FROM pg_namespace WHERE nspname = 'tablecast'"
  static let createSchema = "CREATE SCHEMA tablecast"
  static let isEmpty = "SELECT 1 WHERE to_regclass('tablecast.info') IS NULL"
  static let create = [
    "CREATE TABLE tablecast.info (name text PRIMARY KEY, value text NOT NULL)",
    "INSERT INTO tablecast.info VALUES ('schema', '0')",
  ]
  static let version = "SELECT value::bigint FROM tablecast.info WHERE name = 'schema'"
  static let setVersion = "UPDATE tablecast.info SET value = $1::bigint::text WHERE name = 'schema'"

  private static let tables = [
    """
    CREATE TABLE tablecast.feed (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name bytea NOT NULL,
      revision bigint NOT NULL DEFAULT 0,  -- how many commits have changed it
      stamp bigint NOT NULL DEFAULT 0,     -- the last one's own
      epoch bigint,                        -- of its versions; null where there are none
      next_item bigint,                    -- null where no items were ever stored
      next_row bigint NOT NULL DEFAULT 0
    )
    """,
    "CREATE UNIQUE INDEX feed_name ON tablecast.feed (sha256(name))",
    """
    CREATE TABLE tablecast.change (
      feed bigint NOT NULL,
      revision bigint NOT NULL,
      stamp bigint NOT NULL,
      number bigint,                       -- of the version that it makes
      key_frame boolean NOT NULL,
      next_row bigint NOT NULL,
      gone bigint[] NOT NULL,              -- rows that the version before had
      record bytea,                        -- the version
      edits bytea,                         -- what it does to items, objects and toggles
      PRIMARY KEY (feed, revision)
    )
    """,
    "CREATE TABLE tablecast.row (feed bigint, number bigint, record bytea NOT NULL, PRIMARY KEY (feed, number))",
    """
    CREATE TABLE tablecast.item (
      feed bigint, id bigint, rank bigint NOT NULL, body bytea NOT NULL, PRIMARY KEY (feed, id)
    )
    """,
    "CREATE TABLE tablecast.object (feed bigint NOT NULL, row bytea NOT NULL, body bytea NOT NULL)",
    "CREATE UNIQUE INDEX object_row ON tablecast.object (feed, sha256(row))",
    "CREATE TABLE tablecast.toggle (feed bigint NOT NULL, row bytea NOT NULL)",
    "CREATE UNIQUE INDEX toggle_row ON tablecast.toggle (feed, sha256(row))",
    """
    CREATE TABLE tablecast.answer (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name bytea NOT NULL UNIQUE,          -- the digest of caller, table, route and key
      feed bytea NOT NULL,                 -- the table's name: an answer needs no feed
      caller bytea NOT NULL,
      request bytea NOT NULL, status bigint NOT NULL, headers bytea NOT NULL, body bytea NOT NULL,
      size bigint NOT NULL,
      expires bigint NOT NULL
    )
    """,
    "CREATE INDEX answer_caller ON tablecast.answer USING hash (caller)",
    "CREATE INDEX answer_feed ON tablecast.answer USING hash (feed)",
    "CREATE INDEX answer_expires ON tablecast.answer (expires)",
    """
    CREATE TABLE tablecast.lease (
      name bytea PRIMARY KEY,
      holder bytea,                        -- null: it was let go
      term bigint NOT NULL,
      expires timestamptz NOT NULL,
      legacy bytea NOT NULL
    )
    """,
    """
    CREATE TABLE tablecast.view (
      name bytea PRIMARY KEY,              -- the digest of the table's name and the view's
      taps bigint NOT NULL,
      state bytea NOT NULL,
      expires timestamptz NOT NULL
    )
    """,
    "CREATE INDEX view_expires ON tablecast.view (expires)",
  ]

  /// The handover of the last leader, and its time, by the database's clock.
  private static let handover = [
    "ALTER TABLE tablecast.lease ADD COLUMN handover bytea, ADD COLUMN handed timestamptz"
  ]

  /// The same beside a member of a family, for it alone: a row of its own, as it is written far more often than the table.
  private static let memberHandover = [
    """
    CREATE TABLE tablecast.handover (
      feed bigint PRIMARY KEY REFERENCES tablecast.feed ON DELETE CASCADE,
      body bytea NOT NULL,
      handed timestamptz NOT NULL
    )
    """
  ]

  /// Identities that clients have chosen. What releases before and with them call to write is refused by ``itemRecords``.
  private static let itemNames = [
    "ALTER TABLE tablecast.item ADD COLUMN name bytea",  // null: the item is called by its number
    """
    CREATE FUNCTION tablecast.move_on(
      p_feed bigint, p_revision bigint, p_stamp bigint, p_next bigint, p_epoch bigint, p_next_item bigint,
      p_next_row bigint
    ) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE v_name bytea;
    BEGIN
      UPDATE tablecast.feed SET revision = p_revision + 1, stamp = p_next, epoch = coalesce(p_epoch, epoch),
        next_item = CASE WHEN p_next_item IS NULL THEN next_item ELSE greatest(next_item, p_next_item) END,
        next_row = p_next_row
        WHERE id = p_feed AND revision = p_revision AND stamp = p_stamp RETURNING name INTO v_name;
      IF NOT FOUND THEN RAISE EXCEPTION 'superseded' USING ERRCODE = 'TC001'; END IF;
      PERFORM tablecast.tell('m ' || (p_revision + 1) || ' ' || p_next, v_name);
    END $$
    """,
    // Of the class that every release takes for “for now”: 503, and a client comes to another replica.
    """
    CREATE OR REPLACE FUNCTION tablecast.advance(
      p_feed bigint, p_revision bigint, p_stamp bigint, p_next bigint, p_epoch bigint, p_next_item bigint,
      p_next_row bigint
    ) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT 1 FROM tablecast.info WHERE name = 'item names') THEN
        RAISE EXCEPTION 'this release of Tablecast is too old for items whose identities clients have chosen: update it'
          USING ERRCODE = '57TC3';
      END IF;
      PERFORM tablecast.move_on(p_feed, p_revision, p_stamp, p_next, p_epoch, p_next_item, p_next_row);
    END $$
    """,
  ]

  /// The holder of a view: of too many views the oldest of the largest holder go.
  private static let viewHolder = ["ALTER TABLE tablecast.view ADD COLUMN holder bigint NOT NULL DEFAULT 0"]

  /// Refuses to go on, so that all of a transaction fails: `TC001`, superseded; `TC002`, fenced.
  private static let functions = [
    """
    CREATE FUNCTION tablecast.advance(
      p_feed bigint, p_revision bigint, p_stamp bigint, p_next bigint, p_epoch bigint, p_next_item bigint,
      p_next_row bigint
    ) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE v_name bytea;
    BEGIN
      UPDATE tablecast.feed SET revision = p_revision + 1, stamp = p_next, epoch = coalesce(p_epoch, epoch),
        next_item = CASE WHEN p_next_item IS NULL THEN next_item ELSE greatest(next_item, p_next_item) END,
        next_row = p_next_row
        WHERE id = p_feed AND revision = p_revision AND stamp = p_stamp RETURNING name INTO v_name;
      IF NOT FOUND THEN RAISE EXCEPTION 'superseded' USING ERRCODE = 'TC001'; END IF;
      PERFORM tablecast.tell('m ' || (p_revision + 1) || ' ' || p_next, v_name);
    END $$
    """,
    // Names that don't fit a notification are found when the tables are looked at again.
    """
    CREATE FUNCTION tablecast.tell(p_what text, p_name bytea) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      IF length(p_name) <= 3000 THEN PERFORM pg_notify('tablecast', p_what || ' ' || encode(p_name, 'hex')); END IF;
    END $$
    """,
    """
    CREATE FUNCTION tablecast.fence(p_name bytea, p_holder bytea, p_term bigint) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM 1 FROM tablecast.lease
        WHERE name = p_name AND holder = p_holder AND term = p_term AND expires > clock_timestamp() FOR SHARE;
      IF NOT FOUND THEN RAISE EXCEPTION 'fenced' USING ERRCODE = 'TC002'; END IF;
    END $$
    """,
    // A server that was promoted may lack what its predecessor had acknowledged, unless that waited for it: then the
    // numbers that clients hold are not given again.
    """
    CREATE FUNCTION tablecast.note_server() RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      v_line text := substring(pg_walfile_name(pg_current_wal_lsn()) FOR 8);
      v_waits text := (current_setting('synchronous_standby_names') <> ''
        AND current_setting('synchronous_commit') NOT IN ('off', 'local'))::text;
      v_before text;
      v_waited text;
    BEGIN
      SELECT value INTO v_before FROM tablecast.info WHERE name = 'timeline';
      SELECT value INTO v_waited FROM tablecast.info WHERE name = 'synchronous';
      IF v_before = v_line AND v_waited = v_waits THEN RETURN; END IF;
      PERFORM pg_advisory_xact_lock(1413630019);
      SELECT value INTO v_before FROM tablecast.info WHERE name = 'timeline' FOR UPDATE;
      IF v_before <> v_line AND v_waited IS DISTINCT FROM 'true' THEN
        UPDATE tablecast.feed SET epoch = (random() * 281474976710655)::bigint, revision = revision + 1,
          stamp = (random() * 4611686018427387904)::bigint + 1 WHERE epoch IS NOT NULL;
      END IF;
      INSERT INTO tablecast.info VALUES ('timeline', v_line), ('synchronous', v_waits)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value;
    END $$
    """,
  ]
}
