import Glibc
import Logging
import SaunterCore
import Synchronization

/// One log event as one line.
struct LogLine: Sendable {
    let time: Instant
    let level: Logger.Level
    let label: String
    let message: String
    let metadata: Logger.Metadata

    /// Longer texts are truncated to this many bytes. A divided character becomes U+FFFD.
    static let maximumTextBytes = 8192

    /// `{"ts":"…","level":"info","label":"…","message":"…","metadata":{…}}`
    var json: String {
        var members = [
            JSONObject.Member(name: "ts", value: .string(time.description)),
            .init(name: "level", value: .string(level.rawValue)),
            .init(name: "label", value: .string(Self.truncated(label))),
            .init(name: "message", value: .string(Self.truncated(message))),
        ]
        if !metadata.isEmpty { members.append(.init(name: "metadata", value: Self.object(metadata))) }
        return Self.withoutControls(JSON.object(JSONObject(members)).text, Self.jsonEscape) + "\n"
    }

    /// `2026-11-21T08:00:00.000Z info     label: message key=value`
    var text: String {
        let names = metadata.sorted { $0.key < $1.key }.map { name, value in
            "\(name)=\(Self.truncated("\(value)"))"
        }
        let level = level.rawValue.padded(to: 8)
        let line = ([time.description, level, "\(label):", Self.truncated(message)] + names).joined(
            separator: " ")
        return Self.withoutControls(line, Self.visible) + "\n"
    }

    private static func object(_ metadata: Logger.Metadata) -> JSON {
        .object(
            JSONObject(
                metadata.sorted { $0.key < $1.key }.map {
                    .init(name: truncated($0.key), value: value($0.value))
                }))
    }

    private static func value(_ value: Logger.MetadataValue) -> JSON {
        switch value {
        case .string(let text): .string(truncated(text))
        case .stringConvertible(let other): .string(truncated(other.description))
        case .array(let values): .array(values.map(Self.value))
        case .dictionary(let members): object(members)
        }
    }

    private static func truncated(_ text: String) -> String {
        guard text.utf8.count > maximumTextBytes else { return text }
        return String(decoding: text.utf8.prefix(maximumTextBytes), as: UTF8.self) + "…"
    }

    /// Replaces control characters and the line and paragraph separators. Log viewers would start a new line, and
    /// terminals would execute them.
    private static func withoutControls(_ text: String, _ replacement: (UInt32) -> String) -> String {
        let isControl = { (scalar: UnicodeScalar) in
            scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                || (0x2028...0x2029).contains(scalar.value)
        }
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var output = ""
        for scalar in text.unicodeScalars {
            if isControl(scalar) {
                output += replacement(scalar.value)
            } else {
                output.unicodeScalars.append(scalar)
            }
        }
        return output
    }

    private static func jsonEscape(_ value: UInt32) -> String {
        "\\u\(String(value, radix: 16).leftPadded(to: 4))"
    }

    private static func visible(_ value: UInt32) -> String {
        value == 0x0A ? "⏎" : value == 0x09 ? " " : "\u{FFFD}"
    }

    /// Writes a complete line. Lines of several threads do not mix. If standard error cannot be written, the line is
    /// lost.
    static func writeToStandardError(_ line: String) {
        output.withLock { _ in
            var rest = Array(line.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == EAGAIN, waitForRoom() { continue }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Waits at most one second until standard error accepts more bytes, so that a slow reader of the log does not stop
    /// the server.
    private static func waitForRoom() -> Bool {
        var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        return poll(&descriptor, 1, 1000) > 0
    }

    private static let output = Mutex(())
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    fileprivate func leftPadded(to width: Int) -> String {
        String(repeating: "0", count: max(0, width - count)) + self
    }
}
