import Foundation
import Logging
import Postgres
import SaunterCore
import SaunterReminders
import SaunterServer

/// The validated settings of this run.
struct Settings: Sendable {
    /// The settings that have a value, with their sources, in the order of `Setting.allCases`.
    let shown: [(setting: Setting, text: String, source: String)]
    /// Warnings about unknown variables.
    let warnings: [String]
    let databaseURL: ConnectionString?
    let databaseConnections: Int
    let dataDirectory: String
    let host: String
    let port: Int
    let publicURL: String
    let trustedProxies: TrustedProxies
    let smtpURL: Secret<String>?
    let mailFrom: String
    let outboundPolicy: OutboundPolicy
    let outboundCA: String?
    let appStore: AppStoreSettings?
    let metricsToken: Secret<String>?
    let masterKeyFile: String?
    let postgresBin: String?
    let logLevel: Logger.Level
    let logFormat: LogFormat

    init(_ sources: SettingSources) throws(SettingsFault) {
        let values = try CheckedValues(sources)
        databaseURL = try values.optional(.databaseURL, "a connection string of libpq") {
            try? ConnectionString($0)
        }
        databaseConnections = try values.required(.databaseConnections, "a number from 2 to 500") {
            Int($0).flatMap { (2...500).contains($0) ? $0 : nil }
        }
        dataDirectory = try values.required(.dataDirectory, "a path") { $0.contains("\0") ? nil : $0 }
        let host = try values.required(.host, "a host name or address") { Self.host($0) }
        let port = try values.required(.port, "a port from 1 to 65535") {
            Int($0).flatMap { (1...65_535).contains($0) ? $0 : nil }
        }
        self.host = host
        self.port = port
        publicURL =
            try values.optional(.publicURL, "a URL such as https://study.example.org") { Self.publicURL($0) }
            ?? "http://\(Self.reachable(host)):\(port)"
        trustedProxies =
            try values.optional(.trustedProxies, "addresses or networks, separated by commas") {
                Self.proxies($0)
            } ?? TrustedProxies()
        smtpURL = try values.mailServer()
        mailFrom = try values.required(.mailFrom, "a mail address") { Self.address($0) }
        outboundPolicy =
            try values.optional(.outboundAllow, "host names, addresses or networks, separated by commas") {
                OutboundPolicy($0)
            } ?? OutboundPolicy()
        outboundCA = try values.optional(.outboundCA, "a file that can be read") {
            FileManager.default.isReadableFile(atPath: $0) ? $0 : nil
        }
        appStore = try values.appStore()
        metricsToken = try values.optional(.metricsToken, "at least 16 visible characters") {
            Self.token($0)
        }.map(Secret.init)
        masterKeyFile = try values.optional(.masterKeyFile, "a path") { $0.contains("\0") ? nil : $0 }
        postgresBin = try values.optional(.postgresBin, "a folder") { $0.contains("\0") ? nil : $0 }
        logLevel = try values.required(.logLevel, "trace, debug, info, notice, warning, error or critical") {
            Logger.Level(rawValue: $0.lowercased())
        }
        logFormat = try values.required(.logFormat, "json, text or auto") {
            LogFormat(rawValue: $0.lowercased())
        }
        shown = values.shown
        warnings = sources.warnings
    }

    /// The default path of the master key.
    var defaultMasterKeyPath: String { "\(dataDirectory)/keys/master.key" }

    /// The path of the master key, which may not exist yet.
    var masterKeyPath: String { masterKeyFile ?? defaultMasterKeyPath }

    /// The settings of the server.
    var server: ServerConfiguration {
        ServerConfiguration(
            host: host, port: port, publicURL: publicURL, dataDirectory: dataDirectory,
            metricsToken: metricsToken, trustedProxies: trustedProxies, outboundPolicy: outboundPolicy,
            appStore: appStore, version: Version.current)
    }

    /// The URL of the server on this machine.
    var localURL: String { "http://\(Self.reachable(host)):\(port)" }

    /// Replaces a wildcard address by the loopback address. Puts IPv6 addresses into brackets.
    private static func reachable(_ host: String) -> String {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "[::1]"
        default: host.contains(":") ? "[\(host)]" : host
        }
    }

    /// A host name, or an address without brackets.
    private static func host(_ text: String) -> String? {
        let allowed = text.utf8.allSatisfy { byte in
            (48...58).contains(byte) || (97...122).contains(byte | 0x20) || byte == 0x2D || byte == 0x2E
        }
        return allowed && text.utf8.count <= 253 ? text : nil
    }

    private static func publicURL(_ text: String) -> String? {
        guard let url = URLComponents(string: text), url.scheme == "http" || url.scheme == "https",
            let host = url.host, !host.isEmpty, url.query == nil, url.fragment == nil, url.user == nil
        else { return nil }
        return String(text.reversed().drop { $0 == "/" }.reversed())
    }

    private static func proxies(_ text: String) -> TrustedProxies? {
        let parts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let ranges = parts.compactMap { AddressRange($0) }
        return ranges.count == parts.count ? TrustedProxies(ranges) : nil
    }

    private static func address(_ text: String) -> String? {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty && isPlain ? text : nil
    }

    private static func token(_ text: String) -> String? {
        text.utf8.count >= 16 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? text : nil
    }
}

/// The format of log lines.
enum LogFormat: String, Sendable {
    case auto, json, text
}
