/// Short texts that simulated participants write as answers to text items.
enum SampleTexts {
    static func draw(in language: String, from numbers: inout SeededNumbers) -> String {
        let remarks = language == "de" ? german : english
        return remarks[Int.random(in: 0..<remarks.count, using: &numbers)]
    }

    private static let german = [
        "Viel los heute, aber der Weg durch den Park tat gut.", "Müde. Früh ins Bett.",
        "Schöner Abend, nichts Besonderes.", "Regen – trotzdem draußen gewesen.",
        "Zum ersten Mal die Vögel gehört.", "Langes Gespräch mit einer Freundin.",
    ]

    private static let english = [
        "Busy day, but the way through the park helped.", "Tired. Early night.",
        "Nice evening, nothing special.",
        "Rain, went out all the same.", "Heard the birds for the first time.",
        "Long talk with an old friend.",
    ]
}
