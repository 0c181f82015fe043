import Foundation
import Testing

@testable import SaunterCore

@Suite struct ZoneTests {
    @Test(arguments: ["Europe/Berlin", "UTC", "America/Sao_Paulo", "Asia/Kolkata", "Pacific/Apia"])
    func `zones of the database are accepted`(id: String) {
        #expect(Zone(id)?.id == id)
    }

    @Test(arguments: [
        "", "GMT+2", "GMT+0200", "+02:00", "Europe/Nowhere", "europe/berlin", "Europe/Berlin ",
        "../etc/passwd", "Europe/Berlin\u{0}",
    ])
    func `fixed offsets and unknown names are rejected`(id: String) {
        #expect(Zone(id) == nil)
    }

    @Test func `the offset follows daylight saving`() throws {
        let berlin = try #require(Zone("Europe/Berlin"))

        #expect(berlin.offset(at: try #require(Instant("2026-03-29T00:59:59.999Z"))) == 3600)
        #expect(berlin.offset(at: try #require(Instant("2026-03-29T01:00:00Z"))) == 7200)
        #expect(berlin.offset(at: try #require(Instant("2026-10-25T01:00:00Z"))) == 3600)
        #expect(Zone.utc.offset(at: .maximum) == 0)
    }

    /// There could be two transitions between two samples with the same offset. The test therefore also checks each
    /// transition that Foundation reports.
    @Test func `every zone has the offsets and transitions that Foundation reports`()
        throws
    {
        let week = 7 * 86_400
        for id in Zone.identifiers.sorted() {
            let zone = try #require(Zone(id))
            let foundation = try #require(TimeZone(identifier: id))
            func agree(_ second: Int) -> Bool {
                let instant = Instant(milliseconds: Int64(second) * 1000)
                return zone.offset(at: instant)
                    == foundation.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
            }
            let samples = stride(from: -20 * 366 * 86_400, through: 4_200_000_000, by: week)
            #expect(samples.first { !agree($0) } == nil, "\(id)")
            var changes: [Int] = []
            var last = Date(timeIntervalSince1970: -1)
            while let next = foundation.nextDaylightSavingTimeTransition(after: last),
                next.timeIntervalSince1970 < 4_200_000_000
            {
                changes.append(Int(next.timeIntervalSince1970))
                last = next
            }
            #expect(changes.flatMap { [$0 - 1, $0, $0 + 1] }.first { !agree($0) } == nil, "\(id)")
        }
    }

    /// Compares with Python's zoneinfo, which has another copy of the zone database and shares no code with Foundation.
    /// Both are sampled weekly.
    @Test func `every zone has the transitions of zoneinfo from 1970 to 2040`() throws {
        // Since 2024 the database defines these names by cities. In one of the copies this changes them before 1996.
        let ids = Zone.identifiers.subtracting(["CET", "EET", "MET", "WET"]).sorted()
        let lines = try Self.zoneinfo(ids)
        #expect(lines.count == ids.count)
        // Its database may lack a few names.
        #expect(lines.count { $0.contains(" ") } > ids.count - 10)
        for line in lines where line.contains(" ") {
            let zone = try #require(Zone(String(line.prefix { $0 != " " })))
            #expect(Self.changes(of: zone) == line)
        }
    }

    private static let end = 2_208_988_800

    /// A zone and its transitions: the second since 1970 and the offset from then on.
    private static func changes(of zone: Zone) -> String {
        func offset(_ second: Int) -> Int { zone.offset(at: Instant(milliseconds: Int64(second) * 1000)) }
        var low = 0
        var old = offset(0)
        var found = [zone.id, "0:\(old)"]
        while low < end {
            var high = min(low + 7 * 86_400, end)
            if offset(high) == old {
                low = high
                continue
            }
            while high - low > 1 {
                let middle = (low + high) / 2
                if offset(middle) == old { low = middle } else { high = middle }
            }
            low = high
            old = offset(high)
            if low < end { found.append("\(low):\(old)") }
        }
        return found.joined(separator: " ")
    }

    /// A line for each zone in the form of `changes`; only the name if Python does not know the zone.
    private static func zoneinfo(_ ids: [String]) throws -> [String] {
        let script = """
            import sys
            from datetime import datetime
            from zoneinfo import ZoneInfo
            end = int(sys.argv[1])
            for name in sys.argv[2:]:
                try:
                    zone = ZoneInfo(name)
                except Exception:
                    print(name)
                    continue
                def offset(second):
                    return int(datetime.fromtimestamp(second, zone).utcoffset().total_seconds())
                low, old = 0, offset(0)
                found = [f"0:{old}"]
                while low < end:
                    high = min(low + 7 * 86400, end)
                    if offset(high) == old:
                        low = high
                        continue
                    while high - low > 1:
                        middle = (low + high) // 2
                        low, high = (middle, high) if offset(middle) == old else (low, middle)
                    low, old = high, offset(high)
                    if low < end:
                        found.append(f"{low}:{old}")
                print(name, *found)
            """
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let python = ProcessInfo.processInfo.environment["SAUNTER_TEST_PYTHON"] ?? "python3"
        process.arguments = [python, "-c", script, "\(end)"] + ids
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
