package struct Order {
    let cents: Int
    let isMember: Bool

    package init(cents: Int, isMember: Bool) {
        self.cents = cents
        self.isMember = isMember
    }

    /// Members pay 10 % less from 5000 cents on.
    package var total: Int {
        guard isMember && cents >= 5000 else { return cents }
        return cents - cents / 10
    }

    package var text: String { "EUR " + String(total) }
}
