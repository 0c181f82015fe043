import SaunterStatistics

extension StudyReport {
    /// `report.csv`: a row for each figure.
    var figuresCSV: [UInt8] {
        var text = CSVText(header: [
            "questionnaire", "version", "scale", "item", "figure", "missing_data", "n", "value", "lower",
            "upper",
            "why_not",
        ])
        for instrument in instruments {
            func add(_ figures: [ReportFigure], scale: String?, item: String?) {
                for figure in figures {
                    text.add(
                        [instrument.code, instrument.version, scale, item] + [
                            figure.name, figure.missing?.rawValue, figure.count.map(String.init),
                            figure.value.value?.shortest, figure.lower?.shortest, figure.upper?.shortest,
                            figure.value.gap?.rawValue,
                        ])
                }
            }
            for scale in instrument.scales {
                add(scale.figures, scale: scale.id, item: nil)
                for item in scale.items { add(item.figures, scale: scale.id, item: item.id) }
            }
            add(instrument.patternFigures, scale: nil, item: nil)
        }
        return text.bytes
    }

    /// `report_sheets.csv`: a row for each sheet.
    var sheetsCSV: [UInt8] {
        var text = CSVText(header: SheetPattern.columns)
        for instrument in instruments {
            for pattern in instrument.patterns {
                text.add([instrument.code, instrument.version] + pattern.cells)
            }
        }
        return text.bytes
    }
}
