import SaunterCore

/// Short texts that simulated participants write as answers to text items.
enum SampleTexts {
    /// - Parameter state: how well the participant feels, 0 to 1.
    static func draw(in language: String, state: Double, from numbers: inout SeededNumbers) -> String {
        let texts = language == "de" ? german : english
        let fitting = state < 0.35 ? texts.low : state > 0.7 ? texts.high : []
        let remarks = texts.neutral + fitting + fitting
        return remarks[Int.random(in: 0..<remarks.count, using: &numbers)]
    }

    private static let german = (
        low: [
            "Müde. Früh ins Bett.", "Nichts ging voran.", "Streit am Telefon, das hängt mir nach.",
            "Schlecht geschlafen.", "Zu viel auf einmal.",
        ],
        neutral: [
            "Viel los heute, aber der Weg durch den Park tat gut.", "Ruhiger Abend, nichts Besonderes.",
            "Regen – trotzdem draußen gewesen.", "Den halben Tag am Schreibtisch.",
            "Langes Gespräch mit einer Freundin.",
        ],
        high: [
            "Zum ersten Mal die Vögel gehört.", "Mit den Kindern gelacht.", "Geschafft! Endlich fertig.",
            "Sonne auf dem Balkon.", "Schöner Brief von meiner Schwester.",
        ]
    )

    private static let english = (
        low: [
            "Tired. Early night.", "Nothing went well.", "Argued on the phone, and it stays with me.",
            "Slept badly.", "Too much at once.",
        ],
        neutral: [
            "Busy day, but the way through the park helped.", "Quiet evening, nothing special.",
            "Rain, went out all the same.", "At the desk for half the day.", "Long talk with an old friend.",
        ],
        high: [
            "Heard the birds for the first time.", "Laughed with the children.", "Done! Finally finished.",
            "Sun on the balcony.", "A lovely letter from my sister.",
        ]
    )
}
