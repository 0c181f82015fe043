import Foundation
import Glibc
import Logging
import SaunterCore

/// Writes each log event as one line: a JSON object, or plain text for a terminal.
///
/// The members are `ts` (RFC 3339, UTC, milliseconds), `level`, `label`, `message` and `metadata` (sorted by name).
/// Control characters in texts are replaced, so that an event is always one line and cannot control a terminal.
package struct JSONLogHandler: LogHandler {
    /// The format of the lines.
    package enum Format: Sendable {
        case json, text
    }

    /// Events below this level are not written.
    package var logLevel: Logger.Level
    /// Added to each event. Metadata of the event itself has priority.
    package var metadata: Logger.Metadata = [:]
    /// Called for each event; nil if there is none.
    package var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let format: Format
    private let now: @Sendable () -> Instant
    private let write: @Sendable (String) -> Void

    /// - Parameter write: called with one complete line, line feed included.
    package init(
        label: String, level: Logger.Level, format: Format, metadataProvider: Logger.MetadataProvider? = nil,
        now: @escaping @Sendable () -> Instant = Self.systemTime, write: @escaping @Sendable (String) -> Void
    ) {
        self.label = label
        self.logLevel = level
        self.format = format
        self.metadataProvider = metadataProvider
        self.now = now
        self.write = write
    }

    /// A handler that writes to standard error: text if it is a terminal, otherwise JSON.
    package static func standardError(label: String, level: Logger.Level) -> JSONLogHandler {
        JSONLogHandler(label: label, level: level, format: isatty(STDERR_FILENO) == 1 ? .text : .json) {
            LogLine.writeToStandardError($0)
        }
    }

    /// One member of `metadata`.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes the event as one line.
    package func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        if let error = event.error { all["error"] = "\(error)" }
        let line = LogLine(
            time: now(), level: event.level, label: label, message: event.message.description, metadata: all)
        write(format == .json ? line.json : line.text)
    }

    /// The time of the system clock.
    package static func systemTime() -> Instant {
        Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
}
