import Foundation
import Logging
import Postgres
import PrivateCluster
import SaunterTesting
import Testing

/// Tests that need a separate PostgreSQL cluster, because they change settings of the whole server or end the
/// server.
@Suite("Separate cluster", .serialized) struct SeparateClusterTests {
    /// Starts a cluster, runs the block and stops the cluster.
    func withCluster(_ body: (PrivateCluster, ConnectionString) async throws -> Void) async throws {
        let directory = try TemporaryDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let cluster = try PrivateCluster(directory: directory, logger: Logger.discarding)
        let string = try ConnectionString(try await cluster.start())
        do {
            try await body(cluster, string)
        } catch {
            await cluster.stop()
            throw error
        }
        await cluster.stop()
    }

    /// Makes every commit wait for a synchronous standby that does not exist.
    ///
    /// `pg_reload_conf` alone does not guarantee this when it returns, because another server process applies the
    /// setting for all sessions some time later. This function therefore commits repeatedly until a commit waits.
    func requireMissingStandby(_ observer: Observer, _ string: ConnectionString) async throws {
        try await observer.connection.execute(script: "create table probe (n int)")
        try await observer.connection.execute(
            script: "alter system set synchronous_standby_names = 'missing'")
        try await observer.connection.execute(script: "select pg_reload_conf()")
        let probe = try await Connection.connect(to: string, logger: Logger.discarding)
        let backend = try await probe.backendPID()
        let commits = Task {
            while true { try await probe.run("insert into probe values (1)") }
        }
        try await observer.wait(for: backend, until: "wait_event = 'SyncRep'")
        try await observer.terminate(backend)
        _ = await commits.result
        await probe.close()
    }

    @Test
    func `every kind of commit fails if the synchronous standby does not confirm it`()
        async throws
    {
        try await withCluster { _, string in
            let observer = Observer(connection: try await Connection.connect(to: string))
            try await observer.connection.execute(script: "create table t (n int)")
            try await requireMissingStandby(observer, string)
            let connection = try await Connection.connect(to: string, logger: Logger.discarding)
            let backend = try await connection.backendPID()
            let insert = Statement(name: "insert", sql: "insert into t values (1)")
            let attempts: [@Sendable () async throws -> Void] = [
                { try await connection.transaction { _ = try await $0.query(insert) } },
                { _ = try await connection.query(insert) },
                { _ = try await connection.pipeline([(insert, []), (insert, [])]) },
                { try await connection.execute(script: "insert into t values (1)") },
                {
                    try await connection.copyIn(
                        "copy t from stdin",
                        from: AsyncStream {
                            $0.yield(Array("1\n".utf8)); $0.finish()
                        })
                },
            ]
            for attempt in attempts {
                let task = Task { try await attempt() }
                try await observer.wait(for: backend, until: "wait_event = 'SyncRep'")
                try await observer.connection.run("select pg_cancel_backend($1)", .int4(Int32(backend)))
                #expect(await errorKind { try await task.value } == .durabilityUnknown)
                #expect(await connection.isUsable)
            }
            let terminated = Task { try await connection.query(insert) }
            try await observer.wait(for: backend, until: "wait_event = 'SyncRep'")
            try await observer.terminate(backend)
            do {
                _ = try await terminated.value
                Issue.record("the commit succeeded without confirmation")
            } catch let error as DatabaseError {
                #expect(error.isCommitUnknown)
            }
            await connection.close()
            await observer.connection.close()
        }
    }

    @Test
    func `cancelling a task does not interrupt its commit while the commit waits for the standby`()
        async throws
    {
        try await withCluster { _, string in
            let observer = Observer(connection: try await Connection.connect(to: string))
            try await observer.connection.execute(script: "create table t (n int)")
            try await requireMissingStandby(observer, string)
            let connection = try await Connection.connect(to: string)
            let backend = try await connection.backendPID()
            let task = Task {
                try await connection.transaction { try await $0.run("insert into t values (1)") }
            }
            try await observer.wait(for: backend, until: "wait_event = 'SyncRep'")
            task.cancel()
            try await observer.connection.execute(script: "alter system reset synchronous_standby_names")
            try await observer.wait(for: backend, until: "wait_event = 'SyncRep'")
            try await observer.connection.execute(script: "select pg_reload_conf()")
            _ = try await task.value
            #expect(try await observer.connection.value("select count(*) as value from t") == 1)
            await connection.close()
            await observer.connection.close()
        }
    }

    @Test func `a pool works again after a restart of the server`() async throws {
        try await withCluster { _, string in
            let pool = Pool(
                connectionString: string, size: 4, acquireTimeout: .seconds(60), logger: Logger.discarding)
            let postmaster: Int = try await pool.value(
                "select (string_to_array(pg_read_file('postmaster.pid'), E'\\n'))[1]::int as value")
            let start = try await pool.run("select pg_postmaster_start_time() as at").one().timestamp("at")
            try #require(kill(pid_t(postmaster), SIGKILL) == 0)
            // The private cluster restarts a server that has died. Before the restart, connecting fails, or a
            // remaining process of the old server still answers.
            var latest = start
            while latest == start {
                do {
                    latest = try await pool.run("select pg_postmaster_start_time() as at").one().timestamp(
                        "at")
                } catch let error as DatabaseError {
                    guard case .connection = error.kind else { throw error }
                }
            }
            try await pool.write { try await $0.run("select 1") }
            await pool.close()
        }
    }

    @Test func `a pool does not reuse a connection whose server no longer accepts writes`() async throws {
        try await withCluster { _, string in
            let observer = Observer(connection: try await Connection.connect(to: string))
            try await observer.connection.execute(script: "create table t (n int)")
            let pool = Pool(connectionString: string, size: 1, logger: Logger.discarding)
            func backendPID() async throws -> Int { try await pool.value("select pg_backend_pid() as value") }
            let insert = Statement(name: "insert", sql: "insert into t values (1)")
            let before = try await backendPID()
            func setWritable(_ isWritable: Bool) async throws {
                let setting = isWritable ? "off" : "on"
                try await observer.connection.execute(
                    script: "alter system set default_transaction_read_only = \(setting)")
                try await observer.connection.execute(script: "select pg_reload_conf()")
                while try await pool.run("show default_transaction_read_only").one().get(
                    "default_transaction_read_only", as: String.self) != setting
                {}
            }

            try await setWritable(false)
            guard
                case .connection(_, commitUnknown: false) = await errorKind({
                    _ = try await pool.query(insert)
                })
            else {
                Issue.record("the write did not fail with a connection error")
                return
            }
            #expect(try await backendPID() != before)

            try await setWritable(true)
            _ = try await pool.query(insert)
            // A write in a read-only transaction fails with the error of the server and does not drop the
            // connection.
            let after = try await backendPID()
            let failure = await errorKind { _ = try await pool.read { _ = try await $0.query(insert) } }
            guard case .server(let fault) = failure else {
                Issue.record("\(failure)")
                return
            }
            #expect(fault.state == .readOnlySQLTransaction)
            #expect(try await backendPID() == after)
            await pool.close()
            await observer.connection.close()
        }
    }
}
