import SaunterCore
import Testing

@testable import SaunterRecordings

@Suite struct FITRecordingTests {
    private func walks(_ bytes: [UInt8]) throws -> [RecordedWalk] { try Recording(.bytes(bytes)).walks }

    @Test(arguments: [false, true])
    func `records, timer and session make a walk in either byte order`(isBigEndian: Bool) throws {
        let recording = try Recording(.bytes(FITWriter.walk(isBigEndian: isBigEndian).file()))
        let walk = try #require(recording.walks.first)

        #expect(recording.format == .fit)
        #expect(recording.walks.count == 1)
        #expect(walk.startedAt == Instant("2026-05-01T08:00:00Z"))
        #expect(walk.endedAt == Instant("2026-05-01T08:01:40Z"))
        #expect(walk.pausesMs == [[40_000, 70_000]])
        #expect(walk.samples.map(\.heartRateBpm) == [90, 100, 110, 120, 130, 130, 140, 150, 160])
        #expect(walk.samples.map(\.distanceM) == [0, 14, 28, 42, 56, 56, 70, 84, 98])
        #expect(walk.samples.map(\.speedKmh) == Array(repeating: 5.04, count: 9))
        #expect(walk.totals.distanceM == 98 && walk.totals.activeEnergyKcal == 6)
        #expect(walk.totals.meanHeartRateBpm == 121 && walk.totals.maxHeartRateBpm == 160)
        #expect(walk.device?.manufacturer == "Garmin" && walk.device?.model == "Strider 5")
        #expect(walk.device?.software == "15.2")
        #expect(try walk.summary().activeS == 70)
    }

    @Test func `a header of twelve bytes has no checksum`() throws {
        #expect(try walks(FITWriter.walk().file(headerLength: 12)).count == 1)
    }

    @Test func `concatenated files are read in order`() throws {
        var later = FITWriter()
        later.record(1000, beats: 80, centimetres: 0)
        later.record(1020, beats: 82, centimetres: 2000)

        let walks = try walks(later.file() + FITWriter.walk().file())

        #expect(walks.map { $0.samples.count } == [9, 2])
    }

    @Test func `five time bits continue from the last complete time`() throws {
        var writer = FITWriter()
        // Its last five bits are 28.
        let whole = FITWriter.start / 32 * 32 + 28
        writer.add(20, local: 2, [.u8(3, 90), .u32(253, whole)])
        writer.add(20, local: 1, [.u8(3, 91)])
        writer.compressed(local: 1, offset: 30, [.u8(3, 92)])
        writer.compressed(local: 1, offset: 1, [.u8(3, 93)])
        writer.compressed(local: 1, offset: 0, [.u8(3, 94)])

        let recording = try Recording(.bytes(writer.file()))
        let walk = try #require(recording.walks.first)

        #expect(walk.samples.map { $0.at.milliseconds(since: walk.startedAt) } == [0, 2000, 5000, 36_000])
        #expect(walk.samples.map(\.heartRateBpm) == [90, 92, 93, 94])
        #expect(recording.remarks == ["records without a date, left out: 1"])
    }

    @Test func `a developer field overrides the field that it names`() throws {
        var writer = FITWriter()
        writer.add(
            206, [.u8(0, 0), .u8(1, 7), .u8(2, 0x88), .text(3, "pulse"), .u16(14, 20), .u8(15, 3)])
        writer.add(
            206, [.u8(0, 0), .u8(1, 8), .u8(2, 0x88), .text(3, "lap pulse"), .u16(14, 19), .u8(15, 3)])
        for second in [UInt32(0), 10] {
            writer.add(
                20, local: 2, [.u32(253, FITWriter.start + second)],
                developer: [(.float(7, 101.5), 0), (.float(8, 55), 0), (.float(9, 56), 1)])
        }

        #expect(try walks(writer.file())[0].samples.map(\.heartRateBpm) == [101.5, 101.5])
    }

    @Test func `each session is a walk, and its distance begins at 0`() throws {
        var writer = FITWriter()
        for second in stride(from: UInt32(0), through: 60, by: 10) {
            writer.record(second, beats: 90, centimetres: second * 100)
        }
        for (start, length) in [(UInt32(0), UInt32(30)), (30, 30)] {
            writer.add(18, local: 3, [.u32(2, FITWriter.start + start), .u32(7, length * 1000)])
        }

        let walks = try walks(writer.file())

        #expect(walks.map { $0.samples.map(\.distanceM) } == [[0, 10, 20], [10, 20, 30, 40]])
        #expect(walks.map { $0.endedAt.milliseconds(since: $0.startedAt) } == [30_000, 30_000])
    }

    @Test func `records before the first session and implausible values get remarks`() throws {
        var writer = FITWriter()
        for second in stride(from: UInt32(0), through: 60, by: 10) {
            writer.record(second, beats: second == 40 ? 5 : 90, centimetres: second == 50 ? 0 : second * 100)
        }
        writer.add(18, local: 3, [.u32(2, FITWriter.start + 20), .u32(7, 40_000)])

        let recording = try Recording(.bytes(writer.file()))

        #expect(
            recording.remarks == [
                "records before the first session, left out: 2",
                "the walk of 2026-05-01T08:00:20.000Z: heart rates below 20 or above 255, left out: 1",
                "the walk of 2026-05-01T08:00:20.000Z: distances that decrease or exceed 1000 km, left out: 1",
            ])
    }

    @Test func `stopping twice, or starting a running timer, changes nothing`() throws {
        var writer = FITWriter()
        writer.timer(0, at: 0)
        for second in stride(from: UInt32(0), through: 100, by: 10) {
            writer.record(second, beats: 90, centimetres: 0)
        }
        for (type, second) in [(UInt8(1), UInt32(20)), (4, 25), (0, 30), (0, 35), (9, 50), (8, 55), (0, 60)] {
            writer.timer(type, at: second)
        }

        #expect(try walks(writer.file())[0].pausesMs == [[20_000, 30_000], [50_000, 60_000]])
    }

    @Test func `speed and distance in three bytes continue after an overflow`() {
        var packed = FITCompressedDistance()
        let first = packed.read([0x8C, 0xF0, 0xFF])
        let second = packed.read([0x8C, 0x00, 0x01])
        let none = packed.read([0xFF, 0xFF, 0xFF])

        #expect(first?.speed == 1.4 && first?.distance == 255.9375)
        // A wrap from 4095 to 16 means 17 more sixteenths.
        #expect(second?.distance == 257)
        #expect(none == nil)
    }

    @Test func `invalid values are missing`() throws {
        var writer = FITWriter()
        writer.record(0, beats: 255, centimetres: .max)
        writer.record(10, beats: 90, centimetres: 100)

        let samples = try walks(writer.file())[0].samples

        #expect(samples.map(\.heartRateBpm) == [nil, 90] && samples.map(\.distanceM) == [0, 1])
    }

    @Test func `distance counts from the start of the session, regardless of the first record`() throws {
        func walk(stated centimetres: UInt32) throws -> RecordedWalk {
            var writer = FITWriter()
            for (second, covered) in [(UInt32(10), UInt32(8000)), (20, 8100), (30, 8200)] {
                writer.record(second, beats: 90, centimetres: covered)
            }
            writer.add(18, local: 3, [.u32(2, FITWriter.start), .u32(7, 30_000), .u32(9, centimetres)])
            return try walks(writer.file())[0]
        }

        let sprint = try walk(stated: 8200)
        // The session covers only the last part of the recording.
        let cut = try walk(stated: 200)

        #expect(sprint.samples.map(\.distanceM) == [0, 80, 81, 82])
        #expect(try sprint.summary().distanceM == 82)
        #expect(cut.samples.map(\.distanceM) == [80, 81, 82])
        #expect(try cut.summary().distanceM == 2)
    }

    @Test func `the id of a walk depends only on its measurements`() throws {
        var writer = FITWriter()
        writer.record(10, beats: 90, centimetres: 1000)
        writer.record(20, beats: 91, centimetres: 2000)
        writer.add(18, local: 3, [.u32(2, FITWriter.start), .u32(7, 20_000)])
        let walk = try walks(writer.file())[0]
        var plain = walk
        plain.countsFromStart = false

        #expect(walk.samples.count == 3 && plain.samples.count == 2)
        #expect(walk.id == plain.id)
    }

    @Test func `a truncated or damaged file is rejected with a reason`() throws {
        let file = FITWriter.walk().file()
        var flipped = file
        flipped[100] ^= 1
        var header = file
        header[2] ^= 1

        for (bytes, reason) in [
            (Array(file.dropLast()), "truncated"), (flipped, "the checksum of the FIT file is wrong"),
            (header, "header is wrong"), (file + [14], "begins here"),
            (FITWriter.file([0x00]), "has no definition"), (FITWriter.file([0x40, 0, 0]), "truncated"),
            (FITWriter.file([]), "no activity"),
        ] {
            let fault = #expect(throws: RecordingFault.self) { try walks(bytes) }
            #expect(fault?.description.contains(reason) == true, "\(reason): \(String(describing: fault))")
        }
    }

    @Test func `fields without bytes are skipped, so that empty messages cost nothing`() throws {
        let empty = Array(repeating: [3, 0, 2] as [UInt8], count: 255).flatMap { $0 }
        var messages = FITMessageReader(([0x40, 0, 0, 20, 0, 255] + empty + [0, 0])[...])

        let first = try messages.next()

        #expect(first?.kind == .record && first?.bytes(3) == nil)
    }

    @Test(arguments: 0..<20)
    func `reading any FIT file returns walks or throws a fault`(seed: Int) throws {
        var random = SeededBytes(seed: UInt64(seed))
        let writer = FITWriter.walk(isBigEndian: seed % 2 == 1)
        var read = 0
        for round in 0..<250 {
            // Half of the files have correct checksums, so that damaged content is decoded.
            let bytes =
                round % 2 == 0 ? FITWriter.file(random.damage(writer.bytes)) : random.damage(writer.file())
            guard let recording = try? Recording(.bytes(bytes)) else { continue }
            for walk in recording.walks {
                read += 1
                #expect(walk.startedAt < walk.endedAt)
                _ = walk.id
                _ = try? walk.summary()
            }
        }
        #expect(read > 0)
    }
}
