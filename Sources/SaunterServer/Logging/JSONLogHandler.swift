import Foundation
import Glibc
import Logging
import SaunterCore

/// Writes each log event as one line: a JSON object, or plain text for people at a terminal.
///
/// `ts` (RFC 3339, UTC, milliseconds), `level`, `label`, `message`, then the metadata in `metadata`,
/// sorted. Whatever a text holds, an event stays one line and cannot steer a terminal.
package struct JSONLogHandler: LogHandler {
    /// Of the two forms.
    package enum Form: Sendable {
        case json, text
    }

    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let form: Form
    private let now: @Sendable () -> Instant
    private let write: @Sendable (String) -> Void

    /// Each call of `write` gets one whole line with its line end.
    package init(
        label: String, level: Logger.Level, form: Form, metadataProvider: Logger.MetadataProvider? = nil,
        now: @escaping @Sendable () -> Instant = Self.systemTime, write: @escaping @Sendable (String) -> Void
    ) {
        self.label = label
        self.logLevel = level
        self.form = form
        self.metadataProvider = metadataProvider
        self.now = now
        self.write = write
    }

    /// To standard error: text when that is a terminal, else JSON.
    package static func standardError(label: String, level: Logger.Level) -> JSONLogHandler {
        JSONLogHandler(label: label, level: level, form: isatty(STDERR_FILENO) == 1 ? .text : .json) {
            LogLine.writeToStandardError($0)
        }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        if let error = event.error { all["error"] = "\(error)" }
        let line = LogLine(
            time: now(), level: event.level, label: label, message: event.message.description, metadata: all)
        write(form == .json ? line.json : line.text)
    }

    /// The time of the system's clock.
    package static func systemTime() -> Instant {
        Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
}
