"""Books, served as JSON:API by SAFRS."""

import os

from flask import Flask
from flask_sqlalchemy import SQLAlchemy
from safrs import SAFRSBase, SafrsApi

app = Flask(__name__)
app.config["SQLALCHEMY_DATABASE_URI"] = f"sqlite:///{os.environ['SAFRS_DATA']}"
db = SQLAlchemy(app)


class Book(SAFRSBase, db.Model):
    __tablename__ = "Books"
    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String, default="")
    pages = db.Column(db.Integer, default=0)


with app.app_context():
    db.create_all()
    api = SafrsApi(app, host="127.0.0.1", port=int(os.environ["SAFRS_PORT"]), prefix="/api")
    api.expose_object(Book)
    if not db.session.query(Book).count():
        db.session.add_all(Book(name=f"Book {n}", pages=n * 10) for n in range(1, 64))
        db.session.commit()
