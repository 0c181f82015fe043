import Foundation
import SaunterCohort
import SaunterCore
import Testing

@Suite struct `saunter serve` {
    @Test(arguments: [SIGTERM, SIGINT])
    func `it serves until it is told to stop, and then ends in order`(signal: Int32) async throws {
        try await CommandDatabase.with { database in
            try await database.publish()
            let server = try await RunningServer(database.environment)

            let studies = try await ServerClient(url: server.url).demand("GET", "/v1/studies")
            let health = try await CommandRun.saunter(["healthcheck", "--url", server.url])
            let status = await server.stop(with: signal)
            let after = try await CommandRun.saunter(["healthcheck", "--url", server.url])

            #expect(studies.json["items"]?.array?.map { $0["study"] } == ["mindful-walking"])
            #expect(health.status == 0)
            #expect(health.output == "ready\n")
            #expect(status == 0)
            #expect(after.status == 1)
        }
    }

    @Test func `a port that is taken ends the start with one line`() async throws {
        try await CommandDatabase.with { database in
            let port = RunningServer.freePort()
            let server = try await RunningServer(database.environment, port: port)

            let second = try await database.saunter(["serve", "--port", "\(port)", "--log-level", "critical"])
            _ = await server.stop()

            #expect(second.status == 1)
            #expect(
                second.errors.split(separator: "\n").last == """
                    saunter: port \(port) of 127.0.0.1 is taken: stop who uses it, or choose another with --port
                    """)
        }
    }

    @Test func `without a database named it runs its own, and commands join that`() async throws {
        let scratch = try Scratch()
        let environment = ["SAUNTER_DATA_DIR": scratch.path]
        let server = try await RunningServer(environment)

        let published = try await CommandRun.saunter(["publish", SourceTree.study], environment: environment)
        let studies = try await ServerClient(url: server.url).demand("GET", "/v1/studies")
        let status = await server.stop()

        #expect(published.status == 0)
        #expect(studies.json["items"]?.array?.count == 1)
        #expect(status == 0)
        #expect(!FileManager.default.fileExists(atPath: "\(scratch.path)/postgres/postmaster.pid"))
        let mode = try FileManager.default.attributesOfItem(atPath: "\(scratch.path)/keys/master.key")[
            .posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test
    func `a database that was filled under one key is opened by no other, and no new one is made for it`()
        async throws
    {
        try await CommandDatabase.with { database in
            try await database.publish()
            let key = "\(database.scratch.path)/keys/master.key"
            let own = try Data(contentsOf: URL(filePath: key))
            try FileManager.default.removeItem(atPath: key)

            let missing = try await database.saunter(["publish", SourceTree.study])
            let isMade = FileManager.default.fileExists(atPath: key)
            try Data(repeating: 1, count: 32).write(to: URL(filePath: key))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
            let wrong = try await database.saunter(["publish", SourceTree.study])
            try own.write(to: URL(filePath: key))
            let right = try await database.saunter(["publish", SourceTree.study])

            #expect(missing.status == 1 && missing.errors.contains("There is no master key at \(key)"))
            #expect(!isMade)
            #expect(wrong.status == 1 && wrong.errors.contains("is not the master key under which"))
            #expect(right.status == 0)
        }
    }

    @Test func `an address that this machine has not is named with its setting`() async throws {
        try await CommandDatabase.with { database in
            let run = try await database.saunter(["serve", "--host", "192.0.2.1", "--port", "18999"])

            #expect(run.status == 1)
            #expect(
                run.errors.contains("192.0.2.1:18999 cannot be listened on: Cannot assign requested address"))
        }
    }

    @Test func `a master key that is not there stops the start`() async throws {
        try await CommandDatabase.with { database in
            let run = try await database.saunter(["serve"], ["SAUNTER_MASTER_KEY_FILE": "/nowhere/key"])

            #expect(run.status == 1)
            #expect(run.errors.contains("/nowhere/key"))
        }
    }
}
