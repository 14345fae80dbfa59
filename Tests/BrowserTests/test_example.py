"""Examples/web as a person uses it: find, add, edit, move, undo, offline."""

import os
import pathlib
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import ROOT, Files, chromium, paint, resize, until
from proxied import proxied
from service import Service

FOLDER = ROOT / "Examples/web"


class Example(unittest.TestCase):
  @classmethod
  def setUpClass(cls):
    Files.folders["Examples"] = ROOT / "Examples"
    Files.folders["Clients"] = ROOT / "Clients"
    cls.service = Service(config=(FOLDER / "tasks.yaml").read_text())
    cls.addClassCleanup(cls.service.stop)
    cls.base, cls.counts = cls.enterClassContext(proxied(cls.service, {}))
    cls.driver = chromium(width=800)
    cls.addClassCleanup(cls.driver.quit)
    cls.driver.get(f"{cls.base}/Examples/web/index.html?service={cls.base}")

  def titles(self):
    return self.driver.execute_script("return [...document.querySelectorAll('.task:not([inert]) .text')].map(({ value }) => value)")

  def server(self):
    return [row["payload"]["title"] for section in self.service.ask("/v1/tables/tasks")["sections"] for row in section["rows"]]

  def await_titles(self, titles):
    until(self.driver, lambda driver: self.titles() == titles, f"{titles}, not {self.titles()}")

  def find(self, selector):
    return until(self.driver, lambda driver: driver.find_elements("css selector", selector), selector)[0]

  def undo(self):
    until(self.driver, "!document.querySelector('#toast').hidden")
    self.find("#toast button").click()

  def test_the_main_path(self):
    first = ["Water the plants", "Buy milk and bread", "Send the postcards", "اقرأ كتابًا", "Plan the summer"]
    self.await_titles(first)
    if os.environ.get("SCREENSHOTS"):
      for width, dark in ((800, False), (360, True)):
        resize(self.driver, width)
        paint(self.driver, dark)
        self.driver.save_screenshot(str(pathlib.Path(os.environ["SCREENSHOTS"], f"example-{width}-{'dark' if dark else 'light'}.png")))
      resize(self.driver, 800)
    # Add.
    self.find("#new input").send_keys("Call the dentist" + Keys.ENTER)
    added = first[:3] + ["Call the dentist"] + first[3:]
    self.await_titles(added)
    until(self.driver, lambda driver: self.server() == added)
    # Edit, and back.
    field = self.find("[aria-label='Done: Buy milk and bread'] + .text")
    field.send_keys(" today" + Keys.ENTER)
    until(self.driver, lambda driver: "Buy milk and bread today" in self.server())
    self.undo()
    until(self.driver, lambda driver: self.server() == added)
    # Done, and back.
    self.find("[aria-label='Done: Water the plants']").click()
    until(self.driver, "document.querySelector('.task').hasAttribute('data-done') && !document.querySelector('[data-pending]')")
    self.undo()
    until(self.driver, "!document.querySelector('.task').hasAttribute('data-done')")
    # Move, by a button and by keys, into another section, and back.
    self.find("[aria-label='Move down: Water the plants']").click()
    moved = [added[1], added[0]] + added[2:]
    self.await_titles(moved)
    until(self.driver, lambda driver: self.server() == moved)
    self.undo()
    until(self.driver, lambda driver: self.server() == added)
    self.await_titles(added)
    self.find("[aria-label='Done: Call the dentist'] + .text").click()
    ActionChains(self.driver).key_down(Keys.ALT).send_keys(Keys.ARROW_DOWN).key_up(Keys.ALT).perform()
    until(self.driver, lambda driver: [len(section["rows"]) for section in self.service.ask("/v1/tables/tasks")["sections"]] == [3, 3])
    # Delete, and back.
    self.find("[aria-label='Delete: Send the postcards']").click()
    until(self.driver, lambda driver: "Send the postcards" not in self.server())
    self.undo()
    until(self.driver, lambda driver: "Send the postcards" in self.server())
    # Find.
    self.find("#search input").send_keys("the")
    until(self.driver, lambda driver: sorted(self.titles()) == ["Call the dentist", "Plan the summer", "Send the postcards", "Water the plants"], self.titles())
    self.find("#search [part=clear]").click()
    until(self.driver, lambda driver: len(self.titles()) == 6)
    # Offline: what is done is kept over a reload, and sent when the service can be reached again.
    self.counts.cut()
    self.find("#new input").send_keys("Written offline" + Keys.ENTER)
    until(self.driver, lambda driver: "Written offline" in self.titles() and "not sent yet" in self.find("#connection").text)
    self.driver.refresh()
    until(self.driver, lambda driver: "Written offline" in self.titles(), "the kept edit")
    self.assertNotIn("Written offline", self.server())
    self.counts.mend()
    self.driver.execute_script("client.wake()")
    until(self.driver, lambda driver: "Written offline" in self.server(), seconds=60)
    until(self.driver, "tasks.snapshot.edits.length === 0 && tasks.snapshot.connection === 'live'")


if __name__ == "__main__":
  unittest.main()
