import Postgres
import Testing

@Suite("Query") struct QueryTests {
    @Test func `a connection prepares a statement once for each combination of parameter types`() async throws
    {
        let statement = Statement(name: "kept", sql: "select $1 as value /* kept */")
        try await TestServer.withConnection { connection in
            for _ in 1...3 { _ = try await connection.query(statement, [.int4(1)]) }
            _ = try await connection.query(statement, [.text("a")])
            let count: Int = try await connection.value(
                "select count(*) as value from pg_prepared_statements where statement like '%/* kept */'")
            #expect(count == 2)
        }
    }

    @Test func `after 1000 prepared statements, further ones are not prepared`() async throws {
        try await TestServer.withConnection { connection in
            for number in 0..<1010 {
                #expect(try await connection.value("select \(number) as value", as: Int.self) == number)
            }
            let count: Int = try await connection.value(
                "select count(*) as value from pg_prepared_statements")
            #expect(count == 1000)
            #expect(try await connection.value("select $1 as value /* late */", .text("ü")) == "ü")
        }
    }

    @Test func `outside a transaction, a prepared statement is repeated if its table has changed`()
        async throws
    {
        try await TestServer.withConnection { connection in
            try await connection.execute(script: "create temp table t (a int); insert into t values (1)")
            try await connection.run("select * from t")
            try await connection.execute(script: "alter table t add column b int default 2")
            #expect(try await connection.run("select * from t").one().get("b") == 2)
        }
    }

    @Test func `in a transaction, a prepared statement fails as transient if its table has changed`()
        async throws
    {
        try await TestServer.withConnection { connection in
            try await connection.execute(script: "create temp table t (a int); insert into t values (1)")
            try await connection.run("select * from t")
            try await connection.execute(script: "alter table t add column b int default 2")
            await #expect {
                try await connection.transaction { try await $0.run("select * from t") }
            } throws: { error in
                let error = error as? DatabaseError
                return error?.isTransient == true && error?.serverFault?.isStalePlan == true
            }
            let row = try await connection.transaction { try await $0.run("select * from t") }.one()
            #expect(try row.get("b") == 2)
        }
    }

    @Test func `a statement that the server no longer knows is prepared again`() async throws {
        try await TestServer.withConnection { connection in
            try await connection.run("select 1 as value")
            try await connection.execute(script: "deallocate all")
            #expect(try await connection.value("select 1 as value") == 1)
        }
    }

    @Test func `a server error states code, position and constraint, and the connection remains usable`()
        async throws
    {
        try await TestServer.withConnection { connection in
            try await connection.execute(
                script: """
                    create temp table t (n int constraint t_positive check (n > 0) constraint t_one_per_number unique,
                        required int not null default 0)
                    """)
            try await connection.run("insert into t values (1)")
            do throws(DatabaseError) {
                try await connection.run("insert into t values ($1)", .int4(1))
                Issue.record("the duplicate was stored")
            } catch {
                #expect(error.sqlState == .uniqueViolation)
                #expect(error.constraint == "t_one_per_number")
                #expect(error.serverFault?.table == "t")
                #expect(error.serverFault?.detail == "Key (n)=(1) already exists.")
                #expect(!"\(error)".contains("(1)"))
            }
            do throws(DatabaseError) {
                try await connection.run("insert into t values (2, null)")
                Issue.record("NULL was stored")
            } catch {
                #expect(error.sqlState == .notNullViolation)
                #expect(error.serverFault?.column == "required")
            }
            do throws(DatabaseError) {
                try await connection.run("select  missing from t")
                Issue.record("the unknown column was found")
            } catch {
                #expect(error.sqlState == .undefinedColumn)
                #expect(error.serverFault?.position == 9)
                #expect(error.statement == "test")
            }
            await #expect(throws: DatabaseError.self) {
                try await connection.run("insert into t values (-1)")
            }
            #expect(try await connection.value("select count(*) as value from t") == 1)
        }
    }

    @Test func `a query accepts one statement only`() async throws {
        try await TestServer.withConnection { connection in
            await #expect {
                try await connection.run("select 1; drop table important")
            } throws: { ($0 as? DatabaseError)?.sqlState == .syntaxError }
            let rows = try await connection.run("")
            #expect(rows.isEmpty)
        }
    }

    @Test func `a statement or script with U+0000 is rejected and never truncated`() async throws {
        try await TestServer.withConnection { connection in
            let statement = await errorKind { try await connection.run("select 1 \0 where false") }
            let script = await errorKind { try await connection.execute(script: "select 1; \0 garbage") }
            let copy = await errorKind {
                try await connection.copyOut("copy (select 1) to stdout \0") { _ in }
            }
            #expect(statement == .encoding(parameter: nil, reason: "the statement contains U+0000"))
            #expect(script == .encoding(parameter: nil, reason: "the script contains U+0000"))
            #expect(copy == .encoding(parameter: nil, reason: "the statement contains U+0000"))
        }
    }

    @Test func `a script runs several statements in one transaction`() async throws {
        try await TestServer.withConnection { connection in
            try await connection.execute(script: "create temp table t (n int); insert into t values (1), (2)")
            await #expect(throws: DatabaseError.self) {
                try await connection.execute(
                    script: "insert into t values (3); select 1 / 0; insert into t values (4)")
            }
            let count: Int = try await connection.value("select count(*) as value from t")
            #expect(count == 2)
        }
    }

    @Test func `running a COPY as a query is a misuse and drops the connection`() async throws {
        try await TestServer.withConnection { connection in
            #expect(
                await errorKind { try await connection.run("copy (select 1) to stdout") }
                    == .misuse("use copyIn or copyOut for COPY"))
            #expect(await !connection.isUsable)
        }
    }

    @Test func `describe returns the types of parameters and columns`() async throws {
        try await TestServer.withConnection { connection in
            let inferred = try await connection.describe(
                Statement(
                    name: "d",
                    sql: "select $1::uuid as id, n from generate_series(1, $2) n where $3::text[] is null"))
            #expect(inferred.parameterTypes == [.uuid, .int4, .textArray])
            #expect(inferred.columns.map(\.name) == ["id", "n"])
            #expect(inferred.columns.map(\.type) == [.uuid, .int4])
            let declared = try await connection.describe(
                Statement(name: "d", sql: "select $1 as value"), parameterTypes: [.timestamptz])
            #expect(declared.columns.map(\.type) == [.timestamptz])
            let failure = await errorKind {
                _ = try await connection.describe(Statement(name: "d", sql: "select x"))
            }
            guard case .server(let fault) = failure else {
                Issue.record("the invalid statement was described")
                return
            }
            #expect(fault.state == .undefinedColumn)
            #expect(try await connection.value("select 1 as value") == 1)
        }
    }

    @Test func `requests from many tasks on one connection run one after another`() async throws {
        try await TestServer.withConnection { connection in
            let sum = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 1...200 {
                    group.addTask { try await connection.value("select $1 as value", .int8(Int64(number))) }
                }
                return try await group.reduce(0, +)
            }
            #expect(sum == 20_100)
        }
    }

    @Test func `role, application name and statement timeout are set when the connection opens`() async throws
    {
        try await TestServer.withConnection { admin in
            try await admin.run("select pg_advisory_lock(4711)")
            try await admin.execute(
                script:
                    "do $$ begin create role postgres_tests; exception when duplicate_object then null; end $$"
            )
            let connection = try await Connection.connect(
                to: try await TestServer.connectionString(), role: "postgres_tests",
                applicationName: "saunter tests",
                statementTimeout: .milliseconds(1234))
            let row = try await connection.run(
                "select current_user::text as role, current_setting('application_name') as name, current_setting('statement_timeout') as limit"
            ).one()
            #expect(try row.get("role") == "postgres_tests")
            #expect(try row.get("name") == "saunter tests")
            #expect(try row.get("limit") == "1234ms")
            await connection.close()
        }
    }
}
