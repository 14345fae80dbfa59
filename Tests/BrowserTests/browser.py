"""Real Chromium, driven by selenium, and a server of files for pages that need no service."""

import contextlib
import functools
import http.server
import os
import pathlib
import shutil
import threading

from selenium import webdriver
from selenium.webdriver.support.wait import WebDriverWait

ROOT = pathlib.Path(__file__).resolve().parents[2]


def chromium(width=1400, height=900, dark=False, calm=True):
  """A browser without a window. `calm`: prefers reduced motion."""
  options = webdriver.ChromeOptions()
  options.binary_location = shutil.which("chromium") or "chromium"
  arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
               "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
  if calm:
    arguments.append("--force-prefers-reduced-motion")
  for argument in arguments:
    options.add_argument(argument)
  options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
  driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
  resize(driver, width, height)
  paint(driver, dark)
  driver.set_script_timeout(30)
  return driver


def resize(driver, width, height=900):
  driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                         {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})


def paint(driver, dark):
  driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                         {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})


def until(driver, condition, message="", seconds=30):
  """Waits for a condition: a function, or a JavaScript expression."""
  holds = condition if callable(condition) else lambda d: d.execute_script(f"return {condition}")
  return WebDriverWait(driver, seconds, poll_frequency=0.05).until(holds, message or str(condition))


class Files(http.server.SimpleHTTPRequestHandler):
  """Files of several folders, by the first part of the path, and pages given as texts."""

  folders = {"js": ROOT / "Clients/JavaScript", "nodejs": pathlib.Path("/usr/share/nodejs")}
  pages = {}

  def do_GET(self):
    if self.path in self.pages:
      body = self.pages[self.path].encode()
      self.send_response(200)
      self.send_header("Content-Type", "text/javascript" if self.path.endswith(".mjs") else "text/html; charset=utf-8")
      self.send_header("Content-Length", str(len(body)))
      self.end_headers()
      self.wfile.write(body)
    else:
      super().do_GET()

  def translate_path(self, path):
    first, _, rest = path.partition("?")[0].lstrip("/").partition("/")
    folder = self.folders.get(first)
    return str(folder / rest) if folder and ".." not in rest else os.devnull + "/none"

  def log_message(self, *arguments):
    pass


@contextlib.contextmanager
def files(pages):
  handler = type("Pages", (Files,), {"pages": pages})
  server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
  threading.Thread(target=server.serve_forever, daemon=True).start()
  try:
    yield f"http://127.0.0.1:{server.server_port}"
  finally:
    server.shutdown()
    server.server_close()
