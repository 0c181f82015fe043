import Foundation
import Logging
import Postgres
import PrivateCluster
import SaunterTesting
import Testing

/// What can only be tried on a PostgreSQL of one's own: settings of the whole server, and its end.
@Suite("On a cluster of its own", .serialized) struct OwnClusterTests {
    func withCluster(_ body: (PrivateCluster, ConnectionString) async throws -> Void) async throws {
        let directory = try TemporaryDirectory.make()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let cluster = try PrivateCluster(directory: directory, logger: Logger.silent)
        let string = try ConnectionString(try await cluster.start())
        do {
            try await body(cluster, string)
        } catch {
            await cluster.stop()
            throw error
        }
        await cluster.stop()
    }

    /// Commits wait for a standby that there is not, once this returns. The reload alone does not see to that:
    /// it is another process of the server that tells all sessions, some time later.
    func demandStandby(_ observer: Observer, _ string: ConnectionString) async throws {
        try await observer.connection.execute(script: "create table early (n int)")
        try await observer.connection.execute(
            script: "alter system set synchronous_standby_names = 'nobody'")
        try await observer.connection.execute(script: "select pg_reload_conf()")
        let early = try await Connection.connect(to: string, logger: Logger.silent)
        let backend = try await early.backend()
        let commits = Task {
            while true { try await early.run("insert into early values (1)") }
        }
        try await observer.wait(for: backend, until: "wait_event = 'SyncRep'")
        try await observer.terminate(backend)
        _ = await commits.result
        await early.close()
    }

    @Test
    func `a commit that the synchronous standby did not confirm fails, and so does every kind of commit`()
        async throws
    {
        try await withCluster { _, string in
            let observer = Observer(connection: try await Connection.connect(to: string))
            try await observer.connection.execute(script: "create table t (n int)")
            try await demandStandby(observer, string)
            let connection = try await Connection.connect(to: string, logger: Logger.silent)
            let backend = try await connection.backend()
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
                #expect(await kind { try await task.value } == .durabilityUnknown)
                #expect(await connection.isUsable)
            }
            let ended = Task { try await connection.query(insert) }
            try await observer.wait(for: backend, until: "wait_event = 'SyncRep'")
            try await observer.terminate(backend)
            do {
                _ = try await ended.value
                Issue.record("the commit passed for one")
            } catch let error as DatabaseError {
                #expect(error.isCommitUnknown)
            }
            await connection.close()
            await observer.connection.close()
        }
    }

    @Test
    func `a task that is cancelled while its commit waits for the standby does not break the commit off`()
        async throws
    {
        try await withCluster { _, string in
            let observer = Observer(connection: try await Connection.connect(to: string))
            try await observer.connection.execute(script: "create table t (n int)")
            try await demandStandby(observer, string)
            let connection = try await Connection.connect(to: string)
            let backend = try await connection.backend()
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

    @Test func `a pool outlives a restart of the server`() async throws {
        try await withCluster { _, string in
            let pool = Pool(
                connectionString: string, size: 4, acquireTimeout: .seconds(60), logger: Logger.silent)
            let postmaster: Int = try await pool.value(
                "select (string_to_array(pg_read_file('postmaster.pid'), E'\\n'))[1]::int as value")
            let start = try await pool.run("select pg_postmaster_start_time() as at").one().timestamp("at")
            try #require(kill(pid_t(postmaster), SIGKILL) == 0)
            // The private cluster starts a server that dies anew. Until then connecting fails, or an orphan of
            // the old server still answers.
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

    @Test func `a connection to a server that takes no writes any more is not lent again`() async throws {
        try await withCluster { _, string in
            let observer = Observer(connection: try await Connection.connect(to: string))
            try await observer.connection.execute(script: "create table t (n int)")
            let pool = Pool(connectionString: string, size: 1, logger: Logger.silent)
            func backend() async throws -> Int { try await pool.value("select pg_backend_pid() as value") }
            let insert = Statement(name: "insert", sql: "insert into t values (1)")
            let before = try await backend()
            func take(writes: Bool) async throws {
                try await observer.connection.execute(
                    script: "alter system set default_transaction_read_only = \(writes ? "off" : "on")")
                try await observer.connection.execute(script: "select pg_reload_conf()")
                let wanted = writes ? "off" : "on"
                while try await pool.run("show default_transaction_read_only").one().get(
                    "default_transaction_read_only", as: String.self) != wanted
                {}
            }

            try await take(writes: false)
            guard case .connection(_, commitUnknown: false) = await kind({ _ = try await pool.query(insert) })
            else {
                Issue.record("the write was no lost connection")
                return
            }
            #expect(try await backend() != before)

            try await take(writes: true)
            _ = try await pool.query(insert)
            // What was asked for as a read is refused as before, and costs no connection.
            let after = try await backend()
            let refused = await kind { _ = try await pool.read { _ = try await $0.query(insert) } }
            guard case .server(let fault) = refused else {
                Issue.record("\(refused)")
                return
            }
            #expect(fault.state == .readOnlySQLTransaction)
            #expect(try await backend() == after)
            await pool.close()
            await observer.connection.close()
        }
    }
}
