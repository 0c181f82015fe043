import Foundation
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct SpreadsheetTests {
    @Test(arguments: [
        ("=1+1", "'=1+1"), ("+49", "'+49"), ("-", "'-"), ("@x", "'@x"), ("\tx", "'\tx"), ("\rx", "'\rx"),
        ("a=1", "a=1"),
        ("'=1", "'=1"), ("", ""),
    ])
    func `a text that begins like a formula gets an apostrophe`(text: String, guarded: String) {
        #expect(SpreadsheetText.guarded(text) == guarded)
    }

    @Test
    func `labels that begin like formulas get an apostrophe in codebook and value labels`()
        throws
    {
        let csv = Array("column,label,min\nfeel,\"=1+1, \"\"x\"\"\",-3\nwhy,@home,\nnote,-,0\n".utf8)
        let copy = try SpreadsheetText.copy(of: csv)

        #expect(
            String(decoding: copy, as: UTF8.self)
                == "\u{FEFF}column,label,min\nfeel,\"'=1+1, \"\"x\"\"\",-3\nwhy,'@home,\nnote,'-,0\n")
    }

    @Test func `the spreadsheet copy contains codebook and value labels`() async throws {
        try await Garden.with { garden in
            try await garden.dataset(formats: [.excel]) { folder, _ in
                for name in ["codebook", "value_labels"] {
                    let exact = try TableRows("\(folder)/meta/\(name).csv").map { $0 }
                    #expect(try TableRows("\(folder)/excel/\(name).csv").map { $0 } == exact)
                }
            }
        }
    }

    @Test func `the spreadsheet copy has a byte order mark and guarded texts, and numbers are unchanged`()
        async throws
    {
        try await Garden.with { garden in
            try await garden.dataset(formats: [.excel]) { folder, _ in
                let bytes = try Data(contentsOf: URL(filePath: folder + "/excel/free_text.csv"))
                #expect(bytes.prefix(3) == Data([0xEF, 0xBB, 0xBF]))
                let texts = try TableRows(folder + "/excel/free_text.csv").map { $0["text"] ?? "" }
                #expect(
                    texts == ["'=1+1, \"quoted\"\nand a second line – ü", "Käthe, \"the red\"", "Early!"])
                for name in ["wide_mood", "sheets", "participants"] {
                    let exact = try TableRows("\(folder)/data/\(name).csv").map { $0 }
                    let copy = try TableRows("\(folder)/excel/\(name).csv").map { $0 }
                    #expect(exact == copy)
                }
                // A negative number is not changed.
                let sheets = try TableRows(folder + "/excel/sheets.csv").map { $0["clock_skew_s"] ?? "" }
                #expect(sheets.contains("-200"))
            }
        }
    }
}
