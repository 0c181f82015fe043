import SaunterCore

extension StudyReport {
    /// Writes `report.csv`, `report_sheets.csv`, `report.json` and `report.html` into a new folder, which has its
    /// name only once everything is in it.
    /// - Throws: `DatasetFault.directoryInUse`, or what the file system says; then nothing is left.
    package func write(to directory: String) throws {
        var target = try DatasetDirectory(directory, folders: [])
        do {
            try target.write("report.csv", figuresCSV, isTable: true)
            try target.write("report_sheets.csv", sheetsCSV, isTable: true)
            try target.write("report.json", Array((json.text + "\n").utf8))
            try target.write("report.html", Array(html.utf8))
            try target.finish()
        } catch {
            target.abandon()
            throw error
        }
    }
}
