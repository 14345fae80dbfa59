extension PostgresSchema {
  /// Items stand under records of their sources' own (`@items.NAME`), and no longer under one of the tables that show them, of
  /// which `@keepers` said which one it was. A release before that can go on reading beside this one, and storing what upstreams
  /// say. What it would write to items, or to tables that show them, is refused: it knows nothing of the records.
  static let itemRecords =
    ["LOCK TABLE tablecast.feed, tablecast.item, tablecast.object IN EXCLUSIVE MODE", moveItems, writeRecord]
    + ["advance", "move_on"].map(refuseFormerRelease)

  private static let moveItems = """
    DO $$
    DECLARE
      v record;
      v_new bigint;
      v_list bigint;
    BEGIN
      SELECT id INTO v_list FROM tablecast.feed WHERE name = '@keepers'::bytea;
      IF NOT EXISTS (SELECT 1 FROM tablecast.object WHERE feed = v_list) THEN RETURN; END IF;
      FOR v IN
        SELECT '@items.'::bytea || place.row AS record, owner.id, owner.next_item
        FROM tablecast.object AS place JOIN tablecast.feed AS owner ON owner.name = place.body
        WHERE place.feed = v_list AND owner.next_item IS NOT NULL AND owner.name <> '@items.'::bytea || place.row
      LOOP
        DELETE FROM tablecast.item WHERE feed IN (SELECT id FROM tablecast.feed WHERE name = v.record);
        DELETE FROM tablecast.feed WHERE name = v.record;
        INSERT INTO tablecast.feed (name, revision, stamp, next_item)
          VALUES (v.record, 1, (random() * 4611686018427387904)::bigint + 1, v.next_item) RETURNING id INTO v_new;
        UPDATE tablecast.item SET feed = v_new WHERE feed = v.id;
        UPDATE tablecast.feed SET next_item = NULL, revision = revision + 1,
          stamp = (random() * 4611686018427387904)::bigint + 1 WHERE id = v.id;
        INSERT INTO tablecast.object VALUES (v.id, '\\x01', '0 '::bytea || v.record)
          ON CONFLICT (feed, sha256(row)) DO UPDATE SET body = excluded.body;
      END LOOP;
      DELETE FROM tablecast.item WHERE feed IN (
        SELECT id FROM tablecast.feed WHERE next_item IS NOT NULL AND substr(name, 1, 7) <> '@items.'::bytea
      );
      UPDATE tablecast.feed SET next_item = NULL
        WHERE next_item IS NOT NULL AND substr(name, 1, 7) <> '@items.'::bytea;
      DELETE FROM tablecast.object WHERE feed = v_list;
      DELETE FROM tablecast.change WHERE feed = v_list;
      DELETE FROM tablecast.feed WHERE id = v_list;
    END $$
    """

  /// Moves a record on from the revision that a commit is built on. The epoch of its versions is the database's: a version of
  /// another one is refused, unless its commit begins that.
  private static let writeRecord = """
    CREATE FUNCTION tablecast.write_record(
      p_feed bigint, p_revision bigint, p_stamp bigint, p_next bigint, p_epoch bigint, p_begins boolean,
      p_next_item bigint, p_next_row bigint
    ) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE v_name bytea;
    BEGIN
      UPDATE tablecast.feed SET revision = p_revision + 1, stamp = p_next, epoch = coalesce(p_epoch, epoch),
        next_item = CASE WHEN p_next_item IS NULL THEN next_item ELSE greatest(next_item, p_next_item) END,
        next_row = p_next_row
        WHERE id = p_feed AND revision = p_revision AND stamp = p_stamp
          AND (p_epoch IS NULL OR p_begins OR epoch = p_epoch)
        RETURNING name INTO v_name;
      IF NOT FOUND THEN RAISE EXCEPTION 'superseded' USING ERRCODE = 'TC001'; END IF;
      PERFORM tablecast.tell('m ' || (p_revision + 1) || ' ' || p_next, v_name);
    END $$
    """

  /// Returns a body for a function that former releases call to write: it raises an error of the class that every
  /// release takes for “for now”, 503, and a client comes to another replica.
  private static func refuseFormerRelease(_ function: String) -> String {
    """
    CREATE OR REPLACE FUNCTION tablecast.\(function)(
      p_feed bigint, p_revision bigint, p_stamp bigint, p_next bigint, p_epoch bigint, p_next_item bigint,
      p_next_row bigint
    ) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      IF p_next_item IS NOT NULL OR EXISTS (
        SELECT 1 FROM tablecast.object
        WHERE feed = p_feed AND sha256(row) = sha256('\\x01'::bytea) AND position('@items.'::bytea IN body) > 0
      ) THEN
        RAISE EXCEPTION 'this release of Tablecast is too old for items that are stored by their sources: update it'
          USING ERRCODE = '57TC3';
      END IF;
      PERFORM tablecast.write_record(
        p_feed, p_revision, p_stamp, p_next, p_epoch, true, p_next_item, p_next_row
      );
    END $$
    """
  }
}
