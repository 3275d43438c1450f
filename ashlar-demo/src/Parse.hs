{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Parse
-- Description : The format of @\/var\/lib\/dpkg\/status@
--
-- Empty lines separate records. A record starts with the field @Package@. A field is a name, a
-- colon and a value. Lines that start with a space or a tab continue the value.
module Parse
  ( packagesFrom,
  )
where

import Ashlar.Get
import Control.DeepSeq (deepseq)
import Control.Monad (unless, void)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import Data.Char (isHexDigit)
import qualified Data.Map.Strict as Map
import qualified Data.Text as T
import qualified Data.Text.Encoding as T
import Data.Word (Word8)
import Package
import Scan

-- | All packages, in order.
packagesFrom :: Source -> IO (Either DecodeError [Package])
packagesFrom source = do
  start <- getFrom source emptyLines
  case start of
    Left e -> pure (Left e)
    Right () -> fmap reverse <$> foldFrom source package (\ps p -> p `deepseq` pure (p : ps)) []

emptyLines :: Get ()
emptyLines = void (taking (== ascii '\n') Right)

-- A record, and the empty lines after it.
package :: Get Package
package = do
  key <- fieldName $ \key ->
    if key == "Package" then Right key else Left "a record begins with the field Package"
  name <- fieldValue key (takingSome "a name" isNameByte utf8)
  label ("package " ++ T.unpack name) (fields [key] (namedPackage name)) <* emptyLines

-- The fields up to an empty line or the end. The argument has the fields before them.
fields :: [ByteString] -> Package -> Get Package
fields before !p = do
  next <- peek
  if maybe True (== ascii '\n') next
    then pure p
    else do
      key <- fieldName $ \key ->
        if key `elem` before then Left ("a second field " ++ C.unpack key) else Right key
      set <- fieldValue key (setField key)
      fields (key : before) (set p)

fieldName :: (ByteString -> Either String a) -> Get a
fieldName check = takingSome "the name of a field" isFieldByte check <* byte ':'
  where
    isFieldByte w = w > 32 && w < 127 && w /= ascii ':'

-- The value of this field, and the end of its last line.
fieldValue :: ByteString -> Get a -> Get a
fieldValue key value = do
  blanks
  n <- lookAhead valueLength
  a <- label (C.unpack key) (isolate n (value <* spaces <* endOfValue))
  -- Only the end of the line or of the input can follow.
  end <- isEmpty
  if end then fail "the input ends within a line" else a <$ skip 1
  where
    endOfValue = isEmpty >>= \end -> unless end (fail "the value should end here")

-- The bytes up to the end of the last line.
valueLength :: Get Int
valueLength = go 0
  where
    go :: Int -> Get Int
    go !n = do
      end <- isEmpty
      if end
        then pure n
        else getWord8 >>= \w -> if w == ascii '\n' then newLine n else go (n + 1)
    newLine n = peek >>= \next -> if maybe False isBlank next then go (n + 1) else pure n

-- How a field changes a package.
setField :: ByteString -> Get (Package -> Package)
setField key = case key of
  "Version" -> (\x p -> p {packageVersion = Just x}) <$> remaining
  "Status" -> (\x p -> p {packageStatus = Just x}) <$> status
  "Priority" -> (\x p -> p {packagePriority = Just x}) <$> priority
  "Section" -> (\x p -> p {packageSection = Just x}) <$> remaining
  "Maintainer" -> (\x p -> p {packageMaintainer = Just x}) <$> remaining
  "Architecture" -> (\x p -> p {packageArchitecture = Just x}) <$> remaining
  "Installed-Size" -> (\x p -> p {packageInstalledSize = Just x}) <$> number
  "Depends" -> (\x p -> p {packageDepends = x}) <$> dependencies
  "Conffiles" -> (\x p -> p {packageConffiles = x}) <$> conffiles
  "Description" -> (\x p -> p {packageDescription = Just x}) <$> description
  _ -> (\x p -> p {packageOther = Map.insert (T.decodeLatin1 key) x (packageOther p)}) <$> remaining

status :: Get Status
status =
  Status <$> oneOf "a selection" selections <*> (blanks *> oneOf "a flag" flags)
    <*> (blanks *> oneOf "a state" states)
  where
    selections =
      [ ("unknown", Unknown),
        ("install", Install),
        ("hold", Hold),
        ("deinstall", Deinstall),
        ("purge", Purge)
      ]
    flags = [("ok", Ok), ("reinstreq", ReinstallRequired)]
    states =
      [ ("not-installed", NotInstalled),
        ("config-files", ConfigFiles),
        ("half-installed", HalfInstalled),
        ("unpacked", Unpacked),
        ("half-configured", HalfConfigured),
        ("triggers-awaited", TriggersAwaited),
        ("triggers-pending", TriggersPending),
        ("installed", Installed)
      ]

-- One of these words.
oneOf :: String -> [(ByteString, a)] -> Get a
oneOf what table = takingSome what (not . isSpace) $ \bs ->
  maybe (Left (what ++ " expected, not " ++ show (C.unpack bs))) Right (lookup bs table)

priority :: Get Priority
priority = takingSome "a priority" (not . isSpace) $ \bs ->
  maybe (OtherPriority <$> utf8 bs) Right (lookup bs known)
  where
    known =
      [ ("required", Required),
        ("important", Important),
        ("standard", Standard),
        ("optional", Optional),
        ("extra", Extra)
      ]

-- A number that is not negative, with so few digits that it fits an Int.
number :: Get Int
number = takingSome "a number" (not . isSpace) $ \bs -> case C.readInt bs of
  Just (n, rest) | S.null rest, n >= 0, S.length bs <= 18 -> Right n
  _ -> Left ("a number expected, not " ++ show (C.unpack bs))

description :: Get Description
description = Description <$> taking (/= ascii '\n') utf8 <*> (body <$> remaining)
  where
    -- After each end of a line comes the space or tab that continues the value.
    body = T.intercalate "\n" . map (T.drop 1) . drop 1 . T.splitOn "\n"

dependencies :: Get [[Dependency]]
dependencies = do
  end <- isEmpty
  if end then pure [] else (dependency `separatedBy` '|') `separatedBy` ','

separatedBy :: Get a -> Char -> Get [a]
separatedBy p c = do
  a <- p
  next <- peek
  if next == Just (ascii c) then (a :) <$> (skip 1 *> separatedBy p c) else pure [a]

dependency :: Get Dependency
dependency =
  Dependency
    <$> (spaces *> takingSome "the name of a package" isNameByte utf8)
    <*> after ':' (takingSome "an architecture" isNameByte utf8)
    <*> (spaces *> after '(' (constraint <* spaces <* byte ')') <* spaces)

-- What follows this character, if the character comes next.
after :: Char -> Get a -> Get (Maybe a)
after c p = do
  next <- peek
  if next == Just (ascii c) then Just <$> (skip 1 *> p) else pure Nothing

constraint :: Get Constraint
constraint =
  Constraint <$> (spaces *> operator) <*> (spaces *> takingSome "a version" isVersionByte utf8)
  where
    isVersionByte w = not (isSpace w) && w /= ascii ')'
    operator = takingSome "one of << <= = >= >>" (`S.elem` "<=>") $ \bs ->
      maybe
        (Left ("one of << <= = >= >> expected, not " ++ show (C.unpack bs)))
        Right
        (lookup bs operators)
    operators =
      [("<<", Earlier), ("<=", EarlierOrEqual), ("=", Equal), (">=", LaterOrEqual), (">>", Later)]

-- Letters, digits and @+-.@: the names of packages and architectures.
isNameByte :: Word8 -> Bool
isNameByte w = isIn 'a' 'z' || isIn 'A' 'Z' || isIn '0' '9' || w `S.elem` "+-."
  where
    isIn from to = ascii from <= w && w <= ascii to

conffiles :: Get [Conffile]
conffiles = do
  spaces
  end <- isEmpty
  if end then pure [] else (:) <$> conffile <*> conffiles

-- A line.
conffile :: Get Conffile
conffile = Conffile <$> word "a path" utf8 <*> (blanks *> word "a digest" digest) <*> flags
  where
    word what = takingSome what (not . isSpace)
    digest bs
      | bs == "newconffile" || (S.length bs == 32 && C.all isHexDigit bs) = utf8 bs
      | otherwise = Left ("an MD5 expected, not " ++ show (C.unpack bs))
    flags = do
      blanks
      next <- peek
      if maybe True (== ascii '\n') next then pure [] else (:) <$> word "a flag" utf8 <*> flags
