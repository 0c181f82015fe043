import Crypto
import Foundation

/// Measured durations of the same operation, one per round.
struct Rounds {
    private(set) var seconds: [Double] = []

    mutating func add(_ duration: Duration) { seconds.append(duration / .seconds(1)) }

    var median: Double {
        let ordered = seconds.sorted()
        return ordered.isEmpty ? 0 : ordered[ordered.count / 2]
    }
}

/// Receives text like a file of a dataset: computes the digest and writes the text, but does not call fsync.
struct Sink {
    private let handle: FileHandle
    private let url: URL
    private var hash = SHA256()
    private(set) var bytes = 0

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "saunter-bench-\(UUID().uuidString)")
        try Data().write(to: url)
        handle = try FileHandle(forWritingTo: url)
    }

    mutating func write(_ piece: [UInt8]) throws {
        try handle.write(contentsOf: piece)
        hash.update(data: piece)
        bytes += piece.count
    }

    func close() throws {
        try handle.close()
        try FileManager.default.removeItem(at: url)
    }
}

/// The peak resident memory of this process in MiB.
func residentAtMost() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss >> 10
}
