/// Rounds to decimal places, ties to even, as exactly as a double permits.
func rounded(_ value: Double, places: Int) -> Double {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = (value * scale).rounded(.toNearestOrEven)
    return scaled.isFinite ? scaled / scale : value
}
