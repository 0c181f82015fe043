import Foundation
import Testing

/// Reads how much physical memory this process uses.
enum ResidentMemory {
    static func bytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try #require(Int(pages[1])) * Int(getpagesize())
    }
}
