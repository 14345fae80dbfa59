/// What is done to the service in a run, and how often.
struct Deeds {
  enum Deed: CaseIterable {
    /// It is killed.
    case crash
    case end, pause, cut
    /// It ends, and one of another release starts in its place.
    case upgrade
    /// It is given another configuration.
    case configure
    /// The upstream's list becomes another one.
    case change
    /// For a moment the disk takes nothing of some tables, or of all.
    case refuse
    case nothing
  }
  private let all: [Deed]

  /// In every second run some are done far more often than others, and some not at all.
  init(_ world: World, withReplicas: Bool, isRestless: Bool) {
    let isUsual = world.chance(2)
    var all: [Deed] = []
    for deed in Deed.allCases {
      let often = Self.usual(deed, withReplicas, isRestless)
      let times = world.pick([0, 1, 3, 10])
      all += Array(repeating: deed, count: isUsual || deed == .nothing ? often : often * times)
    }
    self.all = all
  }

  /// Of 120.
  private static func usual(_ deed: Deed, _ withReplicas: Bool, _ isRestless: Bool) -> Int {
    switch deed {
    case .crash: isRestless ? 3 : 12
    case .end: withReplicas ? 8 : 3
    case .upgrade: withReplicas ? 3 : 5
    case .pause, .cut: withReplicas ? 8 : 0
    case .configure: withReplicas ? 6 : 30
    case .refuse: withReplicas ? 0 : 15
    case .change: 60
    case .nothing: 10
    }
  }

  func next(_ world: World) -> Deed { world.pick(all) }

  /// One of those that are done at all, however seldom.
  func any(_ world: World) -> Deed { world.pick(Deed.allCases.filter(all.contains)) }
}
