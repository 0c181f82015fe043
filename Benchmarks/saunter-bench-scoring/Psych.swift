import Foundation
import SaunterCore

/// Scores the same sheets with R's `psych::scoreItems`, from the same CSV file. The time includes only scoring, not
/// reading the file. `scoreItems` also computes reliabilities, so `scoreFast` of the same package, which does not, is
/// measured too.
struct Psych {
    /// Seconds, and the sum of all scores.
    struct Outcome {
        let items: Double
        let fast: Double
        let sum: Double
    }

    private static let script = """
        suppressPackageStartupMessages(library(psych))
        options(warn = -1)
        x <- as.matrix(read.csv(commandArgs(TRUE)[1]))
        keys <- matrix(ifelse(colnames(x) %in% c("q4", "q5", "q7", "q8"), -1, 1), ncol = 1)
        rownames(keys) <- colnames(x)
        colnames(keys) <- "total"
        timed <- function(work) median(replicate(3, system.time(work())[["elapsed"]]))
        items <- timed(function() found <<- scoreItems(keys, x, totals = TRUE, impute = "none", min = 0, max = 4))
        fast <- timed(function() scoreFast(keys, x, totals = TRUE, impute = "none", min = 0, max = 4))
        cat(items, fast, sprintf("%.17g", sum(found$scores)))
        """

    /// - Throws: if R or the package is missing.
    static func score(_ file: URL) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["Rscript", "--vanilla", "-e", script, file.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        let numbers = output.split(separator: " ").compactMap { Double($0) }
        guard process.terminationStatus == 0, numbers.count == 3 else { throw PsychFault() }
        return Outcome(items: numbers[0], fast: numbers[1], sum: numbers[2])
    }

    /// The value of every sheet, like R's result. Complete scores exist for one batch at a time, as in the server.
    private static func score(_ slots: [Int16], _ scoring: StoredSheetScorer) throws -> [Double?] {
        var values: [Double?] = []
        var scores: [Score] = []
        for first in stride(from: 0, to: slots.count, by: 10_000) {
            scores.removeAll(keepingCapacity: true)
            try scoring.add(sheets: Array(slots[first..<min(first + 10_000, slots.count)]), to: &scores)
            for score in scores { values.append(score.value) }
        }
        return values
    }

    /// Compares R with our scoring on one core, for `count` complete ten-item sheets.
    static func compare(_ count: Int) throws {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "saunter-bench-\(UUID().uuidString).csv")
        defer { try? FileManager.default.removeItem(at: file) }
        let written = sheets(count, blanks: 0)
        var text = names.joined(separator: ",") + "\n"
        for first in stride(from: 0, to: written.count, by: 10) {
            text += written[first..<first + 10].map(String.init).joined(separator: ",") + "\n"
        }
        try text.write(to: file, atomically: false, encoding: .utf8)

        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
        let slots = lines.flatMap { $0.split(separator: ",").compactMap { Int16($0) } }
        let scoring = StoredSheetScorer(index([total]))
        let clock = ContinuousClock()
        var sum = 0.0
        let times = try (0..<3).map { _ in
            var values: [Double?] = []
            let seconds = try clock.measure { values = try score(slots, scoring) } / .seconds(1)
            sum = values.reduce(0) { $0 + ($1 ?? 0) }
            return seconds
        }
        let ours = times.sorted()[1]
        let theirs = try score(file)
        print(
            "psych on the same file of \(count) sheets: scoreItems \(Int(Double(count) / theirs.items)) sheets/s, "
                + "scoreFast \(Int(Double(count) / theirs.fast)) sheets/s, ours \(Int(Double(count) / ours)) sheets/s: "
                + "\(Int(theirs.items / ours)) times scoreItems, \(Int(theirs.fast / ours)) times scoreFast; "
                + (sum == theirs.sum
                    ? "the scores have the same sum" : "THE SCORES DIFFER: \(sum), \(theirs.sum)"))
    }
}

/// R did not return the two results.
struct PsychFault: Error, CustomStringConvertible {
    let description = "Rscript with the package psych is needed for the comparison"
}
