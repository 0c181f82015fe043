import Foundation
import Testing

/// The memory that this process occupies.
enum ResidentMemory {
    static func bytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try #require(Int(pages[1])) * Int(getpagesize())
    }
}
