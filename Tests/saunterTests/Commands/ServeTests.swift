import Foundation
import SaunterCohort
import SaunterCore
import Testing

@Suite struct `saunter serve` {
    @Test(arguments: [SIGTERM, SIGINT])
    func `the server runs until a signal and then shuts down gracefully`(signal: Int32) async throws {
        try await CommandDatabase.with { database in
            try await database.publish()
            let server = try await RunningServer(database.environment)

            let studies = try await ServerClient(url: server.url).sendSuccessfully("GET", "/v1/studies")
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

    @Test func `a port in use stops the start with one line`() async throws {
        try await CommandDatabase.with { database in
            let port = RunningServer.freePort()
            let server = try await RunningServer(database.environment, port: port)

            let second = try await database.saunter(["serve", "--port", "\(port)", "--log-level", "critical"])
            _ = await server.stop()

            #expect(second.status == 1)
            #expect(
                second.errors.split(separator: "\n").last == """
                    saunter: port \(port) of 127.0.0.1 is in use: stop the program that uses it, or choose another port with --port
                    """)
        }
    }

    @Test func `without a database URL the server runs a private database, which commands also use`()
        async throws
    {
        let folder = try TestFolder()
        let environment = ["SAUNTER_DATA_DIR": folder.path]
        let server = try await RunningServer(environment)

        let published = try await CommandRun.saunter(["publish", SourceTree.study], environment: environment)
        let studies = try await ServerClient(url: server.url).sendSuccessfully("GET", "/v1/studies")
        let status = await server.stop()

        #expect(published.status == 0)
        #expect(studies.json["items"]?.array?.count == 1)
        #expect(status == 0)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/postgres/postmaster.pid"))
        let mode = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/keys/master.key")[
            .posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test
    func `a database is opened only with its original master key, and no new key is created for it`()
        async throws
    {
        try await CommandDatabase.with { database in
            try await database.publish()
            let key = "\(database.folder.path)/keys/master.key"
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
            #expect(wrong.status == 1 && wrong.errors.contains("is not the master key with which"))
            #expect(right.status == 0)
        }
    }

    @Test func `an address that does not belong to this machine is reported`() async throws {
        try await CommandDatabase.with { database in
            let run = try await database.saunter(["serve", "--host", "192.0.2.1", "--port", "18999"])

            #expect(run.status == 1)
            #expect(
                run.errors.contains(
                    "192.0.2.1:18999 cannot be used as listening address: Cannot assign requested address"))
        }
    }

    @Test func `a missing master key stops the start`() async throws {
        try await CommandDatabase.with { database in
            let run = try await database.saunter(["serve"], ["SAUNTER_MASTER_KEY_FILE": "/nowhere/key"])

            #expect(run.status == 1)
            #expect(run.errors.contains("/nowhere/key"))
        }
    }
}
