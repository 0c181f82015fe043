import SaunterFigures
import Testing

/// QR codes as SVG. That a reader decodes them is checked with another library in `test_staff_join.py`.
@Suite struct QRCodeTests {
    private static let address = "https://study.example.org/join#AB12-CD34-EF56"

    @Test func `the three finder patterns are in their corners`() throws {
        let code = try #require(QRCode(Self.address))
        func isDark(_ row: Int, _ column: Int) -> Bool { code.modules[row * code.width + column] }

        #expect(code.width >= 21 && (code.width - 17) % 4 == 0)
        #expect(code.modules.count == code.width * code.width)
        let last = code.width - 7
        for (row, column) in [(0, 0), (0, last), (last, 0)] {
            for offset in 0..<7 {
                #expect(isDark(row, column + offset) && isDark(row + 6, column + offset))
                #expect(isDark(row + offset, column) && isDark(row + offset, column + 6))
            }
            #expect(!isDark(row + 1, column + 1) && isDark(row + 3, column + 3))
        }
    }

    @Test func `the path has each dark module once, behind the quiet zone`() throws {
        let code = try #require(QRCode(Self.address))
        var drawn: [Int: Int] = [:]
        for match in code.path.matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/) {
            let numbers = [match.1, match.2, match.3, match.4].compactMap { Int($0) }
            #expect(numbers[2] == numbers[3])
            for column in numbers[0]..<numbers[0] + numbers[2] {
                let index = (numbers[1] - QRCode.quietZone) * code.width + column - QRCode.quietZone
                drawn[index, default: 0] += 1
            }
        }

        let dark = code.modules.indices.filter { code.modules[$0] }
        #expect(drawn == Dictionary(uniqueKeysWithValues: dark.map { ($0, 1) }))
    }

    @Test func `equal texts have equal codes, and different texts different ones`() {
        #expect(QRCode(Self.address) == QRCode(Self.address))
        #expect(QRCode(Self.address) != QRCode(Self.address + "7"))
    }

    @Test func `the drawing has an accessible name, escaped`() throws {
        let svg = try #require(QRCode("x")).svg(title: "Join \"A&B\"")

        #expect(svg.contains("aria-label=\"Join &quot;A&amp;B&quot;\""))
        #expect(svg.contains("viewBox=\"0 0 29 29\""))
    }

    @Test func `an empty text and a text that is too long have no code`() {
        #expect(QRCode("") == nil)
        #expect(QRCode(String(repeating: "a", count: 3000)) == nil)
        #expect(QRCode(String(repeating: "a", count: 2000)) != nil)
    }
}
