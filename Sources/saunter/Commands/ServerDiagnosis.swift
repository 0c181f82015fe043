import Foundation
import Postgres
import PrivateCluster
import SaunterCohort
import SaunterCore
import SaunterReminders
import SaunterStore

/// The result of one check.
struct Finding: Sendable {
    enum State: String, Sendable {
        case good, note, fault
    }

    let check: String
    let state: State
    let detail: String

    init(_ check: String, _ state: State, _ detail: String) {
        self.check = check
        self.state = state
        self.detail = detail
    }
}

/// The checks of `saunter doctor`. They change nothing.
struct ServerDiagnosis {
    /// Less free space than this is reported.
    private static let minimumFreeBytes: Int64 = 1 << 30

    let settings: Settings

    func findings() async -> [Finding] {
        var findings = settings.warnings.map { Finding("settings", .note, $0) }
        findings += [dataDirectory(), masterKey(), zones(), mail()]
        findings += await database()
        findings.append(await server())
        return findings
    }

    private func dataDirectory() -> Finding {
        let path = settings.dataDirectory
        var folder = URL(filePath: path).standardizedFileURL
        while !FileManager.default.fileExists(atPath: folder.path), folder.path != "/" {
            folder = folder.deletingLastPathComponent()
        }
        guard FileManager.default.isWritableFile(atPath: folder.path) else {
            return Finding("data directory", .fault, "\(folder.path) cannot be written")
        }
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder.path)
        guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value else {
            return Finding("data directory", .note, "\(path); its free space is unknown")
        }
        let detail = "\(path), \(free >> 20) MiB free"
        return Finding("data directory", free < Self.minimumFreeBytes ? .note : .good, detail)
    }

    private func masterKey() -> Finding {
        let path = settings.masterKeyPath
        guard FileManager.default.fileExists(atPath: path) else {
            return settings.masterKeyFile == nil
                ? Finding("master key", .note, "\(path) is created on the first start")
                : Finding("master key", .fault, "\(path) does not exist")
        }
        do {
            _ = try MasterKey.load(from: path)
            return Finding("master key", .good, "\(path); keep a copy of it, separate from the backups")
        } catch {
            return Finding("master key", .fault, error.description)
        }
    }

    /// Assessment windows need the time zone database.
    private func zones() -> Finding {
        let summer = Instant("2026-07-01T12:00:00Z"), winter = Instant("2026-01-01T12:00:00Z")
        guard let zone = Zone("Europe/Berlin"), let summer, let winter, zone.offset(at: summer) == 7200,
            zone.offset(at: winter) == 3600
        else {
            return Finding("time zones", .fault, "the zone database is missing: install the package tzdata")
        }
        return Finding("time zones", .good, "\(Zone.identifiers.count) zones are known")
    }

    private func mail() -> Finding {
        guard let url = settings.smtpURL, let server = try? MailServer(url: url.revealed) else {
            return Finding("mail", .note, "\(Setting.smtpURL.variable) is not set: mails stay queued")
        }
        return Finding("mail", .good, "is sent through \(server.summary), from \(settings.mailFrom)")
    }

    private func database() async -> [Finding] {
        guard let url = settings.databaseURL else { return [await privateDatabase()] }
        // The query needs the tables but no key.
        let store = Store(
            url, secrets: StoreSecrets(master: []), connections: 1, logger: .command(settings))
        let findings: [Finding]
        do {
            let studies = try await store.listStudies()
            let sizes = try await store.listSmallSizes()
            findings =
                [Finding("database", .good, "\(url), with \(studies.count) studies")]
                + sizes.map { Finding("database sizes", .note, $0) }
        } catch {
            findings = [Finding("database", .fault, "\(url): \(error)")]
        }
        await store.close()
        return findings
    }

    private func privateDatabase() async -> Finding {
        do {
            let found = try await PostgresBinaries.find(environment: settings.postgresEnvironment)
            return Finding(
                "database", .good, "a private PostgreSQL \(found[0].major) from \(found[0].directory)")
        } catch {
            return Finding("database", .fault, "\(error)")
        }
    }

    private func server() async -> Finding {
        do {
            let reply = try await ServerClient(url: settings.localURL)
                .send("GET", "/health/ready", timeout: .seconds(3))
            return reply.isSuccess
                ? Finding("server", .good, "is ready at \(settings.localURL)")
                : Finding(
                    "server", .fault, "\(settings.localURL) answers \(reply.status): \(reply.json.text)")
        } catch {
            return Finding("server", .note, "does not run at \(settings.localURL)")
        }
    }
}
