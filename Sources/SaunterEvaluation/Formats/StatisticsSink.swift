import CReadStat
import Foundation

/// Where ReadStat's bytes go. A class, because C holds a pointer to it.
final class StatisticsSink {
    var file: OutputFile
    /// What went wrong while writing; C can only be told that something did.
    private(set) var error: (any Error)?

    init(_ file: OutputFile) {
        self.file = file
    }

    /// The writer that ReadStat calls; its context is a sink.
    static let write: readstat_data_writer = { data, length, context in
        guard let context else { return -1 }
        let sink = Unmanaged<StatisticsSink>.fromOpaque(context).takeUnretainedValue()
        guard let data, length > 0 else { return 0 }
        do {
            try sink.file.write(Array(UnsafeRawBufferPointer(start: data, count: length)))
            return length
        } catch {
            sink.error = error
            return -1
        }
    }
}
