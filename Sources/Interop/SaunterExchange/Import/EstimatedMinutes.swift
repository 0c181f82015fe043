import SaunterCore

extension Questionnaire {
    /// The estimated time to answer in minutes, because other formats do not state it: 0.25 seconds per word of a text,
    /// and per answer 4 seconds for a choice, 8 for a number or a date, 20 for a short text and 60 for a long one. The
    /// result is rounded up to half minutes. Hidden items count 0.
    var estimatedMinutes: Double {
        let texts = text(in: languages.first ?? "en")
        func seconds(_ items: [Item]) -> Double {
            items.filter { !$0.hidden }.reduce(0) { sum, item in
                let text = texts.items[item.linkId] ?? ""
                // Counts at least one word per six characters, because some languages have no spaces between words.
                let words = max(text.split(whereSeparator: \.isWhitespace).count, text.count / 6)
                return sum + Double(words) / 4 + item.type.definition.answerSeconds + seconds(item.item)
            }
        }
        return min(max((seconds(item) / 30).rounded(.up) / 2, 0.5), 1440)
    }
}
