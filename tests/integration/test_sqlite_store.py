"""The SQLite store as a file: locks, forks, versions, damage, full disks, modes."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import apsw
import pytest

from memstone.errors import (
    CannotCreate,
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreNewer,
    StoreUnsafe,
)
from memstone.storage.sqlite import migrations
from memstone.storage.sqlite.store import SqliteStore, open_store
from memstone.testing.building import INDEX, START, draft, note, units_of
from memstone.types import Filter, Reach, Scope, Validity

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX processes and modes")


def write(store: SqliteStore, text: str, *, at: int = START) -> int:
    with store.write(note()) as transaction:
        namespace = transaction.intern(Scope("ana"))
        row = transaction.insert(draft(text, namespace, at=at))
        transaction.index(row, INDEX, units_of(text), complete=True)
    return row


def a_leaf_of(path: str, table: str) -> int:
    """The number of a page that holds rows of a table, of a store that nobody has open."""
    query = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno"
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    pages = [int(page) for (page,) in connection.execute(query, (table,))]
    connection.close()
    return pages[len(pages) // 2]


def texts(store: SqliteStore) -> list[str]:
    view = Filter(namespaces=(1,), reach=Reach.ALL, validity=Validity(0, 0, 0))
    with store.read() as snapshot:
        return [memory.text for memory in snapshot.select(view, limit=None, after_row=0)]


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "home" / "mem.db")


class TestFork:
    @posix
    def test_a_forked_child_gets_its_own_connections_and_both_commits_are_on_disk(
        self, path: str
    ) -> None:
        store = open_store(path)
        write(store, "before 之前")
        child = os.fork()
        if child == 0:
            try:
                write(store, "from the child", at=START + 1)
                os._exit(0)
            finally:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        write(store, "from the parent", at=START + 2)
        store.close()
        assert os.waitstatus_to_exitcode(status) == 0
        again = open_store(path)
        assert sorted(texts(again)) == ["before 之前", "from the child", "from the parent"]
        again.close()

    @posix
    def test_a_fork_inside_a_write_is_refused_in_the_child_and_lands_once_in_the_parent(
        self, path: str
    ) -> None:
        store = open_store(path)
        write(store, "first")
        answers, told = os.pipe()
        with store.write(note()) as transaction:
            namespace = transaction.intern(Scope("ana"))
            child = os.fork()
            if child == 0:
                try:
                    texts(store)
                except StoreError as error:
                    os.write(told, str(error).encode())
                try:
                    open_store(path)
                except StoreError as error:
                    os.write(told, str(error).encode())
                finally:
                    os._exit(0)
            os.waitpid(child, 0)
            transaction.insert(draft("second", namespace, at=START + 1))
        os.close(told)
        said = os.read(answers, 4096)
        os.close(answers)
        assert said.count(b"forked inside a read or a write") == 2
        assert texts(store) == ["first", "second"]
        store.close()

    @posix
    def test_what_a_child_acknowledges_is_kept_although_its_parent_closes_first(
        self, path: str
    ) -> None:
        """The lock table must not cross the fork: the parent's close took the log away (K17)."""
        store = open_store(path)
        write(store, "parent")
        resume, proceed = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                write(store, "child one", at=START + 1)
                os.read(resume, 1)
                write(store, "child two", at=START + 2)
                os._exit(0)
            finally:
                os._exit(1)
        while "child one" not in other_process_reads(path):
            time.sleep(0.02)
        store.close()
        os.write(proceed, b"x")
        _, status = os.waitpid(child, 0)
        os.close(resume)
        os.close(proceed)
        assert os.waitstatus_to_exitcode(status) == 0
        again = open_store(path)
        assert texts(again) == ["parent", "child one", "child two"]
        again.close()

    @posix
    def test_a_child_forked_while_another_thread_writes_can_write(self, path: str) -> None:
        store = open_store(path)
        write(store, "first")
        stop = threading.Event()

        def keep_writing() -> None:
            number = 0
            while not stop.is_set():
                number += 1
                write(store, f"thread {number}", at=START + number)

        thread = threading.Thread(target=keep_writing)
        thread.start()
        statuses = []
        for number in range(5):
            child = os.fork()
            if child == 0:
                try:
                    write(store, f"child {number}", at=START + 10_000 + number)
                    os._exit(0)
                finally:
                    os._exit(1)
            statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        stop.set()
        thread.join()
        assert statuses == [0] * 5
        assert sum(text.startswith("child") for text in texts(store)) == 5
        store.close()

    @posix
    def test_a_child_that_exits_normally_does_not_disturb_its_parent(self, path: str) -> None:
        store = open_store(path)
        write(store, "parent 1")
        child = os.fork()
        if child == 0:
            try:
                assert texts(store) == ["parent 1"]
                store.close()
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        write(store, "parent 2", at=START + 1)
        assert "parent 2" in other_process_reads(path)
        store.close()

    def test_the_experiment_that_lost_a_commit_still_shows_why_this_is_needed(
        self, tmp_path: Path
    ) -> None:
        """A commit acknowledged on an inherited connection is gone; see DESIGN.md section 4."""
        if not hasattr(os, "fork"):
            pytest.skip("no fork here")
        code = """
            import os, sys, apsw
            c = apsw.Connection(sys.argv[1])
            c.execute("PRAGMA journal_mode = WAL").fetchall()
            c.execute("CREATE TABLE t (x)").fetchall()
            c.execute("BEGIN IMMEDIATE")
            c.execute("INSERT INTO t VALUES ('parent')")
            if os.fork() == 0:
                c.execute("INSERT INTO t VALUES ('child')")
                c.execute("COMMIT")
                print("acknowledged", flush=True)
                os._exit(0)
            os.wait()
            c.execute("COMMIT")
        """
        database = str(tmp_path / "raw.db")
        assert "acknowledged" in python(code, database).stdout
        seen = python(
            "import apsw, sys; c = apsw.Connection(sys.argv[1]);"
            "print([x for (x,) in c.execute('SELECT x FROM t')])",
            database,
        ).stdout
        assert "'child'" not in seen or "'parent'" not in seen


def other_process_reads(path: str) -> str:
    code = """
        import apsw, sys
        c = apsw.Connection(sys.argv[1])
        print([text for (text,) in c.execute("SELECT text FROM memory ORDER BY row")])
    """
    return python(code, path).stdout


class TestLocks:
    PROBE = """
        import apsw, sys
        c = apsw.Connection(sys.argv[1])
        try:
            c.execute("BEGIN IMMEDIATE")
            print("got the lock")
        except apsw.BusyError:
            print("busy")
    """

    @posix
    def test_nothing_we_do_while_a_store_is_open_drops_its_write_lock(self, path: str) -> None:
        store = open_store(path)
        write(store, "one 一")
        with store.write(note()) as transaction:
            transaction.insert(draft("two", transaction.intern(Scope("ana")), at=START + 1))
            second = open_store(path)  # header checks, modes, another connection
            assert texts(second) == ["one 一"]
            second.close()
            with store.read() as snapshot:
                assert snapshot.statistics((1,), START).current == 1
            assert python(self.PROBE, path).stdout.strip() == "busy"
        assert python(self.PROBE, path).stdout.strip() == "got the lock"
        store.close()

    @posix
    def test_the_experiment_opening_the_file_by_path_drops_the_lock(self, path: str) -> None:
        """Why no code opens the file of a live store: see DESIGN.md section 4."""
        store = open_store(path)
        with store.write(note()) as transaction:
            transaction.intern(Scope("ana"))
            assert python(self.PROBE, path).stdout.strip() == "busy"
            for suffix in ("", "-shm", "-wal"):
                with open(path + suffix, "rb") as file:
                    file.read(16)
            dropped = python(self.PROBE, path).stdout.strip()
        store.close()
        assert dropped == "got the lock"

    def test_case_17_a_killed_writer_blocks_nobody(self, path: str) -> None:
        store = open_store(path)
        write(store, "kept 保留")
        store.close()
        holder = subprocess.Popen(
            [
                sys.executable,
                "-c",
                "import apsw, sys, time; c = apsw.Connection(sys.argv[1]);"
                "c.execute('BEGIN IMMEDIATE'); print('held', flush=True); time.sleep(60)",
                path,
            ],
            stdout=subprocess.PIPE,
        )
        assert holder.stdout is not None
        holder.stdout.readline()
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
        holder.stdout.close()
        started = time.monotonic()
        again = open_store(path)
        assert texts(again) == ["kept 保留"]
        write(again, "and on", at=START + 1)
        assert time.monotonic() - started < 2
        again.close()


class TestVersions:
    def test_schema_sql_is_the_sum_of_the_migrations(self) -> None:
        built = apsw.Connection(":memory:")
        for step in migrations.shipped():
            built.execute(step.sql).fetchall()
        assert migrations.objects(built) == migrations.target()
        built.close()

    def test_migrations_are_numbered_without_gaps_and_end_at_the_schema_number(self) -> None:
        numbers = [step.number for step in migrations.shipped()]
        assert numbers == list(range(1, migrations.SCHEMA_NUMBER + 1))

    def test_opening_again_changes_nothing(self, path: str) -> None:
        store = open_store(path)
        write(store, "x 猫")
        store.close()
        before = Path(path).read_bytes()
        again = open_store(path)
        assert again.upgrade is None
        again.close()
        assert Path(path).read_bytes() == before
        assert [entry.name for entry in Path(path).parent.iterdir()] == ["mem.db"]

    def test_case_18_an_older_version_reads_a_newer_store_and_refuses_to_write(
        self, path: str
    ) -> None:
        store = open_store(path)
        write(store, "written by the older 旧")
        pretend_newer(path, min_reader=1, min_writer=migrations.SCHEMA_NUMBER + 1)
        assert texts(store) == ["written by the older 旧"]
        with pytest.raises(StoreNewer) as caught:
            write(store, "never", at=START + 1)
        assert caught.value.code == "store_newer"
        assert "upgrade memstone" in str(caught.value.hint)
        with pytest.raises(StoreNewer):
            store.touch([1], START)
        store.close()
        again = open_store(path)
        assert texts(again) == ["written by the older 旧"]
        again.close()

    def test_case_18_a_store_that_forbids_older_readers_is_not_read(self, path: str) -> None:
        open_store(path).close()
        newer = migrations.SCHEMA_NUMBER + 1
        pretend_newer(path, min_reader=newer, min_writer=newer)
        with pytest.raises(StoreNewer):
            open_store(path)

    def test_a_newer_version_that_allows_older_writers_is_written(self, path: str) -> None:
        store = open_store(path)
        pretend_newer(path, min_reader=1, min_writer=1)
        write(store, "fine")
        assert texts(store) == ["fine"]
        store.close()

    def test_case_75_a_half_done_upgrade_is_completed_whatever_the_counter_says(
        self, path: str
    ) -> None:
        store = open_store(path)
        for number in range(20):
            write(store, f"fact 事实 {number}", at=START + number)
        store.close()
        damage = apsw.Connection(path)
        for statement in (
            "DROP INDEX memory_by_kind",
            "DROP TABLE memory_archive",
            "DROP INDEX memory_by_subject",
            "ALTER TABLE memory DROP COLUMN subject",
            "ALTER TABLE memory DROP COLUMN redacted_at",
        ):
            damage.execute(statement).fetchall()
        damage.close()
        store = open_store(path)
        assert len(texts(store)) == 20
        assert store.upgrade is not None
        assert (store.upgrade.rows_before, store.upgrade.rows_after) == (20, 20)
        assert store.upgrade.copy is not None
        assert Path(store.upgrade.copy).stat().st_size > 0
        write(store, "after", at=START + 100)
        store.close()
        again = open_store(path)
        assert again.upgrade is None
        again.close()

    def test_case_75_a_column_that_cannot_be_restored_is_an_error_and_nothing_changes(
        self, path: str
    ) -> None:
        store = open_store(path)
        write(store, "kept")
        store.close()
        damage = apsw.Connection(path)
        damage.execute("PRAGMA legacy_alter_table = ON").fetchall()
        damage.execute("DROP INDEX memory_turn_identity").fetchall()
        damage.execute("ALTER TABLE memory DROP COLUMN source").fetchall()
        damage.close()
        for _ in range(3):
            with pytest.raises(StoreDamaged, match="column source"):
                open_store(path)
        assert os.listdir(os.path.dirname(path)) == ["mem.db"]
        look = apsw.Connection(path)
        assert look.execute("SELECT text FROM memory").fetchall() == [("kept",)]
        look.close()

    def test_case_1_an_upgrade_that_would_lose_rows_is_undone(self, path: str) -> None:
        store = open_store(path)
        for number in range(500):
            write(store, f"session {number % 10} text {number}", at=START + number)
        store.close()
        connection = apsw.Connection(path)
        greedy = migrations.Migration(
            2,
            "0002_dedupe",
            "DELETE FROM change_row; DELETE FROM lex_unit; DELETE FROM memory WHERE row > 1;",
        )
        with pytest.raises(StoreDamaged, match="would have lost 499 of 500"):
            migrations.upgrade(connection, path, (*migrations.shipped(), greedy))
        connection.close()
        store = open_store(path)
        assert len(texts(store)) == 500
        store.close()

    def test_case_1_an_upgrade_that_back_fills_keeps_every_row_and_records_itself_once(
        self, path: str
    ) -> None:
        store = open_store(path)
        for number in range(50):
            write(store, f"text {number}", at=START + number)
        store.close()
        connection = apsw.Connection(path)
        step = migrations.Migration(
            2,
            "0002_add_note",
            "ALTER TABLE memory ADD COLUMN note TEXT; UPDATE memory SET note = 'filled';",
        )
        steps = (*migrations.shipped(), step)
        done = migrations.upgrade(connection, path, steps)
        assert (done.applied, done.rows_before, done.rows_after) == (("0002_add_note",), 50, 50)
        assert migrations.upgrade(connection, path, steps).applied == ()
        filled = connection.execute("SELECT count(*) FROM memory WHERE note = 'filled'").fetchall()
        assert filled == [(50,)]
        assert migrations.schema_number(connection) == 2
        connection.close()


def pretend_newer(path: str, *, min_reader: int, min_writer: int) -> None:
    """What a newer version leaves behind, done by another process as it would be."""
    code = """
        import apsw, sys
        c = apsw.Connection(sys.argv[1])
        c.set_busy_timeout(5000)
        c.execute("BEGIN IMMEDIATE")
        for key, value in (("min_reader", sys.argv[2]), ("min_writer", sys.argv[3])):
            c.execute("UPDATE meta SET value = ? WHERE key = ?", (value, key))
        c.execute(f"PRAGMA user_version = {int(sys.argv[4])}").fetchall()
        c.execute("COMMIT")
    """
    number = migrations.SCHEMA_NUMBER + 1
    done = python(code, path, str(min_reader), str(min_writer), str(number))
    assert done.returncode == 0, done.stderr


class TestFiles:
    @posix
    def test_folder_and_files_are_for_the_owner_only(self, path: str) -> None:
        old = os.umask(0)
        try:
            store = open_store(path)
            write(store, "private 私")
        finally:
            os.umask(old)
        folder = os.path.dirname(path)
        assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
        for name in os.listdir(folder):
            assert stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) == 0o600
        store.close()

    @posix
    def test_a_readable_file_is_closed_to_others(self, path: str) -> None:
        open_store(path).close()
        os.chmod(path, 0o644)
        open_store(path).close()
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600

    @posix
    def test_a_symlink_is_refused(self, tmp_path: Path) -> None:
        real = str(tmp_path / "real" / "mem.db")
        open_store(real).close()
        link = tmp_path / "mem.db"
        link.symlink_to(real)
        with pytest.raises(StoreUnsafe):
            open_store(str(link))

    @posix
    def test_a_folder_that_others_may_write_is_refused(self, tmp_path: Path) -> None:
        folder = tmp_path / "open"
        folder.mkdir()
        folder.chmod(0o777)
        with pytest.raises(StoreUnsafe, match="other users"):
            open_store(str(folder / "mem.db"))
        folder.chmod(0o1777)  # sticky: nobody replaces another's file
        open_store(str(folder / "mem.db")).close()

    def test_a_folder_that_cannot_be_made_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x", encoding="utf-8")
        with pytest.raises(CannotCreate, match="file"):
            open_store(str(tmp_path / "file" / "mem.db"))

    def test_the_file_alone_is_complete_after_a_clean_close(
        self, path: str, tmp_path: Path
    ) -> None:
        store = open_store(path)
        for number in range(30):
            write(store, f"row 行 {number}", at=START + number)
        with store.read():
            pass
        store.close()
        assert os.listdir(os.path.dirname(path)) == ["mem.db"]
        copy = tmp_path / "copy"
        copy.mkdir(mode=0o700)
        shutil.copy(path, copy / "mem.db")
        second = open_store(str(copy / "mem.db"))
        assert len(texts(second)) == 30
        second.close()

    def test_a_closed_store_says_so(self, path: str) -> None:
        store = open_store(path)
        store.close()
        store.close()
        with pytest.raises(StoreClosed):
            texts(store)


class TestDamage:
    def test_case_7_a_damaged_page_is_an_error_that_says_how_to_restore(self, path: str) -> None:
        store = open_store(path)
        for number in range(300):
            write(store, f"fact 事实 number {number} with some words", at=START + number)
        store.close()
        before = os.path.getsize(path)
        page = a_leaf_of(path, "memory")
        with open(path, "r+b") as file:
            file.seek((page - 1) * 4096)
            file.write(b"\xa5" * 4096)
        with pytest.raises(StoreDamaged) as caught:
            damaged = open_store(path)
            try:
                for row in range(1, 301):
                    with damaged.read() as snapshot:
                        snapshot.chain(row)
                        snapshot.memories([row])
                texts(damaged)
                write(damaged, "more", at=START + 999)
                with damaged.write(note()) as transaction:
                    for row in range(1, 301):
                        transaction.forget(row)
            finally:
                damaged.close()
        assert path in str(caught.value)
        assert "backup" in str(caught.value.hint)
        assert os.path.getsize(path) == before

    def test_case_7_a_file_that_is_no_database_is_left_alone(self, path: str) -> None:
        os.makedirs(os.path.dirname(path), mode=0o700)
        Path(path).write_bytes(b"these are my notes, not a database\n" * 200)
        kept = Path(path).read_bytes()
        with pytest.raises(StoreDamaged):
            open_store(path)
        assert Path(path).read_bytes() == kept

    def test_case_7_a_stale_log_of_a_killed_process_just_opens(self, path: str) -> None:
        code = """
            import os, sys
            from memstone.storage.sqlite.store import open_store
            from memstone.testing.building import draft, note
            from memstone.types import Scope
            store = open_store(sys.argv[1])
            with store.write(note()) as transaction:
                transaction.insert(draft("in the log 日志", transaction.intern(Scope("ana"))))
            os._exit(0)
        """
        assert python(code, path).returncode == 0
        assert os.path.getsize(path + "-wal") > 0
        store = open_store(path)
        assert texts(store) == ["in the log 日志"]
        store.close()

    def test_disk_full_is_a_clear_error_reads_go_on_and_writes_resume(self, path: str) -> None:
        store = open_store(path)
        for number in range(20):
            write(store, f"kept 保留 {number}", at=START + number)
        with store._pool.writer() as connection:
            pages = connection.execute("PRAGMA page_count").fetchall()[0][0]
            connection.execute(f"PRAGMA max_page_count = {pages}").fetchall()
        with pytest.raises(StoreFull) as caught:
            for number in range(200):
                write(store, f"{number} " + "filler 填充 " * 400, at=START + 100 + number)
        assert caught.value.exit_code == 74
        kept = texts(store)
        assert [text for text in kept if text.startswith("kept")] == [
            f"kept 保留 {number}" for number in range(20)
        ]
        with store._pool.writer() as connection:
            connection.execute("PRAGMA max_page_count = 1000000").fetchall()
        write(store, "space again", at=START + 9999)
        assert texts(store)[-1] == "space again"
        store.close()


class TestThreads:
    def test_case_54_many_reads_open_no_more_connections_than_run_at_once(self, path: str) -> None:
        store = open_store(path)
        write(store, "x")
        for _ in range(500):
            with store.read() as snapshot:
                snapshot.generation()
        assert len(store._pool.opened) == 2
        store.close()

    def test_threads_share_one_writer_and_lose_nothing(self, path: str) -> None:
        store = open_store(path)
        threads = [
            threading.Thread(
                target=lambda number=number: [
                    write(store, f"thread {number} line {line}", at=START + number * 100 + line)
                    for line in range(5)
                ]
            )
            for number in range(32)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(texts(store)) == 160
        store.close()

    def test_a_write_inside_a_write_is_refused_instead_of_waiting_for_itself(
        self, path: str
    ) -> None:
        store = open_store(path)
        with store.write(note()), pytest.raises(StoreError, match="inside a write"):
            write(store, "never")
        store.close()
